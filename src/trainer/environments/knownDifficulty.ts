/** Task difficulties that OpenReward knows before tasks are played. */

import { environmentServer } from "../../core/config/fields/environmentServers.ts";
import { errorMessage } from "../../core/errors.ts";
import { type TaskDifficulty, taskDifficulty } from "../../core/openreward/catalogue.ts";
import { redactingRefusals } from "../../core/secrets/redaction/redactingPorts.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { OPENREWARD_API_URL } from "../../core/services.ts";
import { createHttpClient } from "../../node/http.ts";
import { USER_AGENT } from "../../shared/version.ts";
import { debugLog } from "../services/debugLog.ts";
import { environmentAddress, type ServiceAddressOptions } from "../services/serviceAddress.ts";

export interface DifficultyOptions extends ServiceAddressOptions {
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

export interface KnownSplit {
  readonly environment: string;
  readonly split: string;
}

const LIMIT_MS = 5_000;

/** Known tasks of a split; empty if OpenReward does not answer within 5 s or does not have the environment. */
export async function knownDifficulties(
  options: DifficultyOptions,
  of: KnownSplit,
): Promise<readonly TaskDifficulty[]> {
  if (environmentServer(options.config, of.environment).kind !== "shared") return [];
  const address = environmentAddress(options);
  const url = address.apiUrl ?? (address.isOpenReward ? OPENREWARD_API_URL : null);
  if (url === null || !URL.canParse(url)) return [];
  const client = createHttpClient();
  const http = redactingRefusals(client, options.redactor);
  // The key is only sent to the session host or to OpenReward's official catalogue; public data needs none.
  const isOwn = new URL(url).origin === new URL(address.url).origin;
  const isOfficial = address.isOpenReward && url === OPENREWARD_API_URL;
  const apiKey = isOwn || isOfficial ? address.key : null;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    const catalogue = { http, apiUrl: url, apiKey, userAgent: USER_AGENT, signal };
    return await taskDifficulty(catalogue, of);
  } catch (error) {
    debugLog.debug("The difficulty of tasks is not known.", { reason: errorMessage(error) });
    return [];
  } finally {
    await client.close();
  }
}
