/** Time-limited connections to services. A key is sent only to the host it is bound to. */

import { boundKey, type CatalogueAccess } from "../../api/catalogue.ts";
import { AppError } from "../../core/errors.ts";
import type { EnvironmentCatalogueOptions } from "../../core/openreward/catalogue.ts";
import type { Clock, HttpClient, Log } from "../../core/ports.ts";
import { catalogueAddress, hostIn, safeAddress } from "../../core/secrets/serviceHosts.ts";
import { openAccount, type TinkerAccount } from "../../core/tinker/account.ts";
import { withLimit } from "../../core/util/abort.ts";
import { abortable } from "../../core/util/abortable.ts";
import { systemClock } from "../../node/clock.ts";
import type { ClosableHttpClient } from "../../node/http.ts";
import { systemRandom } from "../../node/random.ts";
import { USER_AGENT } from "../../shared/version.ts";

export interface LookUpOptions {
  readonly access: CatalogueAccess;
  readonly openHttp: () => Promise<ClosableHttpClient>;
  readonly log: Log;
}

export interface CatalogueConnection {
  readonly http: HttpClient;
  /** Sleeps are cut off at the limit. */
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Runs `work` with a time limit; everything it started is aborted at the limit. */
export async function limited<Result>(
  limitMs: number,
  { openHttp }: LookUpOptions,
  work: (connection: CatalogueConnection) => Promise<Result>,
): Promise<Result> {
  const over = new AppError(
    "timeout",
    `The service did not answer within ${limitMs / 1000} seconds. Check the network, then try again.`,
  );
  const options = { clock: systemClock, limitMs, onLimit: () => over };
  return await withLimit(options, async (limit) => {
    const { signal } = limit;
    const client = await openHttp();
    try {
      return await work({ signal, ...abortable({ http: client, clock: systemClock }, signal) });
    } finally {
      limit.abort(over);
      await client.close();
    }
  });
}

/** An account, and the address of its server. */
export interface Account {
  readonly account: TinkerAccount;
  readonly server: string;
}

/** @throws AppError `key-missing` */
export async function accountOf(
  { access, log }: LookUpOptions,
  { http, clock }: CatalogueConnection,
): Promise<Account> {
  const server = safeAddress("tinker", access.variables);
  const apiKey = boundKey("tinker", access);
  if (server === null || apiKey === null) throw noKey("Tinker");
  const options = { http, clock, random: systemRandom, log, baseUrl: server, apiKey };
  return { account: await openAccount(options), server };
}

/** Null if no address is set, or it is not a safe one. */
export function catalogueOptions(
  { access }: LookUpOptions,
  { http, signal }: Pick<CatalogueConnection, "http" | "signal">,
): (EnvironmentCatalogueOptions & { readonly signal: AbortSignal }) | null {
  const { variables } = access;
  const apiUrl = catalogueAddress(variables);
  if (apiUrl === null) return null;
  // The key is sent only to the official host; public data needs no key.
  const isOfficial = hostIn("openreward", variables) === null;
  const apiKey = isOfficial ? boundKey("openreward", access) : null;
  return { http, signal, apiUrl, apiKey, userAgent: USER_AGENT };
}

export function noKey(service: string): AppError {
  return new AppError(
    "key-missing",
    `There is no key for ${service} at the configured address. Use Set API Key to add one.`,
  );
}
