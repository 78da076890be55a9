/** The mean reward of each step that a run has completed, for a target that looks back over several. */

import { runPaths } from "../runFolder/files/layout.ts";
import { readLines } from "../runFolder/files/lineReader.ts";
import { flattenMetrics } from "../runFolder/metrics/metricsTree.ts";
import { isMetricsRow } from "../runFolder/reader.ts";
import type { RunContext } from "./run/context.ts";

/** Null for a step in which no rollout was scored. @throws AppError `file-unreadable` */
export async function readRewards({
  storage,
}: Pick<RunContext, "storage">): Promise<readonly (number | null)[]> {
  const rewards: (number | null)[] = [];
  for await (const { value } of readLines(storage.fileSystem, runPaths(storage.folder).metrics)) {
    if (!isMetricsRow(value)) continue;
    const reward = flattenMetrics(value)["rollout/reward/mean"];
    rewards.push(typeof reward === "number" ? reward : null);
  }
  return rewards;
}
