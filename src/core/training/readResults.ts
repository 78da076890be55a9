/** What the completed steps of a run have reached, for ends that look back over several. */

import { runPaths } from "../runFolder/files/layout.ts";
import { readLines } from "../runFolder/files/lineReader.ts";
import { heldOutLoss } from "../runFolder/metrics/fitMetrics.ts";
import type { MetricsRow } from "../runFolder/metrics/metricsTree.ts";
import { decidingReward } from "../runFolder/metrics/stepReward.ts";
import { isMetricsRow } from "../runFolder/reader.ts";
import type { RunContext } from "./run/context.ts";

export interface StepResult {
  /** The mean; null without one, and where fewer than 90 % of the rollouts were scored. */
  readonly reward: number | null;
  /** In nats a token; null where it was not measured. */
  readonly heldOutLoss: number | null;
}

/** Of all steps that the folder has. @throws AppError `file-unreadable` */
export async function readResults({
  storage,
}: Pick<RunContext, "storage">): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for await (const { value } of readLines(storage.fileSystem, runPaths(storage.folder).metrics)) {
    if (isMetricsRow(value)) results.push(resultOf(value));
  }
  return results;
}

export function resultOf(row: MetricsRow): StepResult {
  return { reward: decidingReward(row), heldOutLoss: heldOutLoss(row) };
}
