/** What OpenReward knows of a task before it is played. */

import { environmentServer } from "../core/config/fields/environmentServers.ts";
import { errorMessage } from "../core/errors.ts";
import { type TaskDifficulty, taskDifficulty } from "../core/openreward/catalogue.ts";
import { redactingRefusals } from "../core/secrets/redaction/redactingPorts.ts";
import type { Redactor } from "../core/secrets/redaction/redactor.ts";
import { OPENREWARD_API_URL } from "../core/services.ts";
import { createHttpClient } from "../node/http.ts";
import { USER_AGENT } from "../shared/version.ts";
import { debugLog } from "./debugLog.ts";
import { environmentAddress, type ServiceAddressOptions } from "./services/serviceAddress.ts";

export interface DifficultyOptions extends ServiceAddressOptions {
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

const LIMIT_MS = 5_000;

/** Null where OpenReward does not know, does not say it within 5 s, or does not have the environment. */
export async function knownDifficulty(
  options: DifficultyOptions,
  task: { readonly environment: string; readonly split: string; readonly index: number },
): Promise<TaskDifficulty | null> {
  if (environmentServer(options.config, task.environment).kind !== "shared") return null;
  const address = environmentAddress(options);
  const url = address.apiUrl ?? (address.isOpenReward ? OPENREWARD_API_URL : null);
  if (url === null || !URL.canParse(url)) return null;
  const client = createHttpClient();
  const http = redactingRefusals(client, options.redactor);
  // The key goes nowhere else than to where sessions are, or to OpenReward's own catalogue; what is public needs none.
  const isOwn = new URL(url).origin === new URL(address.url).origin;
  const isOfficial = address.isOpenReward && url === OPENREWARD_API_URL;
  const apiKey = isOwn || isOfficial ? address.key : null;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    const catalogue = { http, apiUrl: url, apiKey, userAgent: USER_AGENT, signal };
    const known = await taskDifficulty(catalogue, task);
    return known.find(({ index }) => index === task.index) ?? null;
  } catch (error) {
    debugLog.debug("The difficulty of the task is not known.", { reason: errorMessage(error) });
    return null;
  } finally {
    await client.close();
  }
}
