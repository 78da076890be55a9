/** First contact with a Tinker server, before any session: address, key and flags. */

import { AppError, isAppError } from "../errors.ts";
import type { Clock, HttpClient, Log, Random } from "../ports.ts";
import { type KeySource, keyText } from "../secrets/keySource.ts";
import { TINKER_URL } from "../services.ts";
import { tinkerError } from "./transport/errors.ts";
import { createTinkerHttp, type TinkerHttp } from "./transport/http.ts";
import type { OnServerMessage } from "./transport/serverMessage.ts";
import { type ClientConfig, clientConfigSchema } from "./wire/wire.ts";

export interface TinkerAddress {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** A path prefix is preserved. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** For messages about the key. */
  readonly keySource?: KeySource | undefined;
  /** Configuration key or variable that holds the address, for messages; null or absent = the built-in address. */
  readonly addressSource?: string | null | undefined;
  /** Called with each short-lived token that replaces the key. */
  readonly onToken?: (token: string) => void;
  /** Called with the server's messages for its user, and with notes on how this client adapts to the server. */
  readonly onMessage?: OnServerMessage;
  /** Absent = `work`. */
  readonly waitsForBills?: BillWaits | undefined;
}

/**
 * Which calls wait for an unpaid bill: `none`, if a person is waiting for the answer; `work`, calls of models and samplers;
 * `all`, also the first contact, the session and its models, if work would otherwise be lost.
 */
export type BillWaits = "none" | "work" | "all";

/** The version of the official client that this client emulates; servers choose their flags by it. */
export const sdkVersion = "0.38.0";

/**
 * Resolves a server's credential and reads its flags; does not start a session.
 * @throws AppError `tinker-auth` for a key that cannot belong to the hosted service, and `tinker-*` like all calls
 */
export async function openTinker(options: TinkerAddress): Promise<{
  readonly tinker: TinkerHttp;
  readonly config: ClientConfig;
  readonly billingPauseMs: () => number;
  /** False if the server does not have the call. */
  readonly hasConfig: boolean;
}> {
  checkKey(options);
  const { waitsForBills = "work" } = options;
  let config = clientConfigSchema.parse({});
  const billingPauseMs = () =>
    waitsForBills === "none" ? 0 : config.billing_exception_max_pause_duration_sec * 1000;
  const tinker = createTinkerHttp({ ...options, billingPauseMs });
  const isWaited = waitsForBills === "all";
  const answered = await clientConfig(tinker, isWaited);
  config = answered ?? config;
  if (config.pjwt_auth_enabled) await tinker.exchangeKey(isWaited);
  return { tinker, config, billingPauseMs, hasConfig: answered !== null };
}

/** The error for an address that answers every call with 404. */
export function noServiceAt({ baseUrl, addressSource }: TinkerAddress): AppError {
  const step =
    addressSource == null
      ? "Check the network and the proxy settings."
      : `Correct ${addressSource}, most likely its path.`;
  return new AppError(
    "config-address-invalid",
    `There is no Tinker service at ${baseUrl}: it answered 404 to client/config, get_server_capabilities and healthz. ${step}`,
    { data: { variable: addressSource ?? null } },
  );
}

/** The hosted service takes API keys or tokens: `docs/protocols/tinker.md#keys-and-tokens`. */
function checkKey({
  baseUrl,
  apiKey,
  keySource,
}: Pick<TinkerAddress, "baseUrl" | "apiKey" | "keySource">): void {
  if (!baseUrl.startsWith(TINKER_URL) || /^(tml-|eyJ)/.test(apiKey)) return;
  const what = keySource === undefined ? "The Tinker key" : keyText(keySource);
  throw tinkerError("tinker-auth", `${what} does not begin with "tml-"`);
}

/** Short, so that a wrong address is reported soon; nothing can be lost before the first answer. */
const firstContactBudgetMs = 30_000;
/** Half the budget, so that an address that never answers is reported in time. */
const firstContactTimeoutMs = 15_000;

/** The server's flags; null if it does not have the call. */
async function clientConfig(
  tinker: TinkerHttp,
  waitsForBills: boolean,
): Promise<ClientConfig | null> {
  const body = { sdk_version: sdkVersion };
  const callOptions = { budgetMs: firstContactBudgetMs, waitsForBills };
  const timeoutMs = firstContactTimeoutMs;
  const request = { method: "POST", path: "client/config", body, timeoutMs } as const;
  return await orNullWithout(tinker.call(request, clientConfigSchema, callOptions));
}

/** Resolves to null if the server does not have the requested path. */
export async function orNullWithout<Answer>(call: Promise<Answer>): Promise<Answer | null> {
  try {
    return await call;
  } catch (error) {
    if (isAppError(error, "tinker-not-found")) return null;
    throw error;
  }
}
