/** Unsent reports of an ended run. A resume sends them. */

import type { FolderFiles } from "../ports.ts";
import { MAX_BYTES, readIfReadable } from "../runFolder/files/wholeFiles.ts";
import { parseWandbState, wandbStatePath } from "../runFolder/wandbState.ts";
import { waitingUploads } from "../tracking/openreward/uploadLog.ts";

export interface PendingReports {
  /** Rollouts for OpenReward. */
  readonly rollouts: number;
  /** Rows of metrics for Weights & Biases. */
  readonly rows: number;
  /** True if Weights & Biases has all rows, but not how the run ended. */
  readonly isSummaryMissing: boolean;
}

export const NOTHING_PENDING: PendingReports = { rollouts: 0, rows: 0, isSummaryMissing: false };

/** `steps` is the number of rows that the run has. */
export async function pendingReports(
  fileSystem: FolderFiles,
  folder: string,
  steps: number,
): Promise<PendingReports> {
  const rollouts = (await waitingUploads(fileSystem, folder)) ?? 0;
  const text = (await readIfReadable(fileSystem, wandbStatePath(folder), MAX_BYTES.wandb)) ?? "";
  const state = parseWandbState(text);
  const isSent = state !== null && state.deployment !== null;
  const rows = isSent ? Math.max(0, steps - state.online.confirmed.next) : 0;
  return { rollouts, rows, isSummaryMissing: isSent && rows === 0 && !state.isEnded };
}
