/** Bounded connections to services. A key goes to the host that it is bound to, and nowhere else. */

import { AppError } from "../../core/errors.ts";
import type { EnvironmentCatalogueOptions } from "../../core/openreward/catalogue.ts";
import type { Clock, HttpClient, Log } from "../../core/ports.ts";
import {
  catalogueAddress,
  hostIn,
  safeAddress,
  type Values,
} from "../../core/secrets/serviceHosts.ts";
import { openAccount, type TinkerAccount } from "../../core/tinker/account.ts";
import { withLimit } from "../../core/util/abort.ts";
import { systemClock } from "../../node/clock.ts";
import type { ClosableHttpClient } from "../../node/http.ts";
import { systemRandom } from "../../node/random.ts";
import { USER_AGENT } from "../../shared/version.ts";
import type { KeySources } from "../keys/keySources.ts";

export interface LookUpOptions {
  readonly sources: Pick<KeySources, "valueFor">;
  /** Variables that lead to services, those of the process included. */
  readonly variables: () => Values;
  readonly openHttp: () => Promise<ClosableHttpClient>;
  readonly log: Log;
}

export interface CatalogueConnection {
  readonly http: HttpClient;
  /** Sleeps no longer than the limit. */
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Nothing that `work` began continues after the limit. */
export async function limited<Result>(
  limitMs: number,
  { openHttp }: LookUpOptions,
  work: (connection: CatalogueConnection) => Promise<Result>,
): Promise<Result> {
  const over = new AppError("timeout", `No answer within ${limitMs / 1000} seconds.`);
  return await withLimit({ clock: systemClock, limitMs, onLimit: () => over }, async (limit) => {
    const { signal } = limit;
    const either = (other: AbortSignal | undefined): AbortSignal =>
      other === undefined ? signal : AbortSignal.any([signal, other]);
    const client = await openHttp();
    try {
      return await work({
        signal,
        http: { send: (request) => client.send({ ...request, signal: either(request.signal) }) },
        clock: { ...systemClock, sleep: (ms, other) => systemClock.sleep(ms, either(other)) },
      });
    } finally {
      limit.abort(over);
      await client.close();
    }
  });
}

/** @throws AppError `key-missing` */
export async function accountOf(
  { sources, variables, log }: LookUpOptions,
  { http, clock }: CatalogueConnection,
): Promise<{ readonly account: TinkerAccount; readonly server: string }> {
  const server = safeAddress("tinker", variables());
  const apiKey = await keyFor("tinker", sources, variables());
  if (server === null || apiKey === null) throw noKey("Tinker");
  const options = { http, clock, random: systemRandom, log, baseUrl: server, apiKey };
  return { account: await openAccount(options), server };
}

/** Null when no address is set, or one that is not safe. */
export async function catalogueOptions(
  { sources, variables }: LookUpOptions,
  { http, signal }: Pick<CatalogueConnection, "http" | "signal">,
): Promise<(EnvironmentCatalogueOptions & { readonly signal: AbortSignal }) | null> {
  const values = variables();
  const apiUrl = catalogueAddress(values);
  if (apiUrl === null) return null;
  // Another host than the one a key is bound to gets none; what is public needs none.
  const isOfficial = hostIn("openreward", values) === null;
  const apiKey = isOfficial ? await keyFor("openreward", sources, values) : null;
  return { http, signal, apiUrl, apiKey, userAgent: USER_AGENT };
}

/** Null when it is not set, or is bound to another host than the one that is used. */
export async function keyFor(
  service: "tinker" | "openreward",
  sources: LookUpOptions["sources"],
  values: Values,
): Promise<string | null> {
  const key = await sources.valueFor(service);
  return key !== null && key.host === hostIn(service, values) ? key.value : null;
}

export function noKey(service: string): AppError {
  return new AppError(
    "key-missing",
    `There is no key for ${service} at the configured address. Use Set API Key to add one.`,
  );
}
