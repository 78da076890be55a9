/** Where a Tinker server is and who asks: the first contact, before any session. */

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
  /** A path prefix is kept. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** For messages about the key. */
  readonly keySource?: KeySource | undefined;
  /** Configuration key or variable that holds the address, for messages; null or absent = it is built in. */
  readonly addressSource?: string | null | undefined;
  /** Called with each short-lived token that replaces the key. */
  readonly onToken?: (token: string) => void;
  /** Called with messages of the server for its user, and with what this client does differently because of the server. */
  readonly onMessage?: OnServerMessage;
  /** Absent = `work`. */
  readonly waitsForBills?: BillWaits | undefined;
}

/**
 * What waits for an unpaid bill: `none` where a person waits for the answer; `work` of models and samplers; `all` also the first contact,
 * the session and its models, where work would otherwise be lost.
 */
export type BillWaits = "none" | "work" | "all";

/** The version of the official client whose behavior this client follows; servers choose their flags by it. */
export const sdkVersion = "0.38.0";

/**
 * A server's address and credential, with the flags that it gave; no session begins.
 * @throws AppError `tinker-auth` for a key the hosted service cannot know, and `tinker-*` as all calls do
 */
export async function openTinker(options: TinkerAddress): Promise<{
  readonly tinker: TinkerHttp;
  readonly config: ClientConfig;
  readonly billingPauseMs: () => number;
  /** False for a server without the call. */
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

/** The error of an address that answers every call with 404. */
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

/** Credentials of the hosted service are API keys or tokens: `docs/protocols/tinker.md#keys-and-tokens`. */
function checkKey({
  baseUrl,
  apiKey,
  keySource,
}: Pick<TinkerAddress, "baseUrl" | "apiKey" | "keySource">): void {
  if (!baseUrl.startsWith(TINKER_URL) || /^(tml-|eyJ)/.test(apiKey)) return;
  const what = keySource === undefined ? "The Tinker key" : keyText(keySource);
  throw tinkerError("tinker-auth", `${what} does not begin with "tml-"`);
}

/** Short, because nothing can be lost before the first answer: a wrong address is reported soon. */
const firstContactBudgetMs = 30_000;
/** Half of the budget, so that an address that never answers is reported within it. */
const firstContactTimeoutMs = 15_000;

/** The flags of the server; null from one without the call. */
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

/** Null instead of a refusal of a path that the server does not have. */
export async function orNullWithout<Answer>(call: Promise<Answer>): Promise<Answer | null> {
  try {
    return await call;
  } catch (error) {
    if (isAppError(error, "tinker-not-found")) return null;
    throw error;
  }
}
