/** The user's account at the hosted Tinker service, for commands that need no run. */

import type { AllowedOrigin } from "../../core/secrets/hostBinding.ts";
import { redactingLog, redactingRefusals } from "../../core/secrets/redaction/redactingPorts.ts";
import { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { openAccount, type TinkerAccount } from "../../core/tinker/account.ts";
import type { TinkerOptions } from "../../core/tinker/serviceClient.ts";
import { abortable } from "../../core/util/abortable.ts";
import { systemClock } from "../../node/clock.ts";
import { createHttpClient } from "../../node/http.ts";
import { systemRandom } from "../../node/random.ts";
import type { CleanupStack } from "./cleanupStack.ts";
import { debugLog } from "./debugLog.ts";
import { tinkerAddress } from "./serviceAddress.ts";
import { type Handed, loadVariables } from "./variables.ts";

export interface AccountRequest {
  /** Folder whose `.env` file may contain the key. */
  readonly folder: string;
  /** Origins to which the user allows the key to be sent. */
  readonly allowedOrigins: readonly AllowedOrigin[];
  /** The run's service; null or absent = the one in the variables, or the official one. */
  readonly tinkerBaseUrl?: string | null | undefined;
  /** The editor's request, used instead of variables and files; absent for a terminal. */
  readonly launchRequest?: Handed | undefined;
  /** Receives a message about where the key is sent. */
  readonly onNotice?: (message: string) => void;
  /** Learns the key, so that errors printed elsewhere can be redacted. */
  readonly redactor?: Redactor;
  /** Aborts all of the account's requests. */
  readonly signal?: AbortSignal | undefined;
}

export interface HostedAccount {
  /** For operations that need a session; null without a key. */
  readonly connection: TinkerOptions | null;
  /** Null without a key. */
  readonly account: TinkerAccount | null;
  readonly url: string;
  /** Variable that holds the key. */
  readonly keyName: string;
}

/** @throws AppError `key-invalid`, `key-host-not-allowed`, `key-not-encrypted`, `config-address-invalid`, `tinker-auth` */
export async function openHostedAccount(
  {
    folder,
    allowedOrigins,
    tinkerBaseUrl = null,
    launchRequest,
    redactor = new Redactor(),
    signal,
  }: AccountRequest,
  cleanup: CleanupStack,
): Promise<HostedAccount> {
  const variables = await loadVariables(folder, launchRequest);
  const config = { tinker_base_url: tinkerBaseUrl };
  const address = tinkerAddress({ config, variables, allowedOrigins });
  const { url, keyName, key } = address;
  if (key === null) return { connection: null, account: null, url, keyName };
  redactor.learn(key);
  const http = redactingRefusals(createHttpClient(), redactor);
  cleanup.add(() => http.close());
  const connection: TinkerOptions = {
    ...abortable({ http, clock: systemClock }, signal),
    random: systemRandom,
    log: redactingLog(debugLog, redactor),
    baseUrl: url,
    apiKey: key,
    keySource: address.keySource,
    addressSource: address.source,
    onToken: (token) => redactor.learn(token),
    waitsForBills: "none",
  };
  return { connection, account: await openAccount(connection), url, keyName };
}
