/** The mean reward of each step that a run has completed, for a target that looks back over several. */

import { runPaths } from "../runFolder/files/layout.ts";
import { readLines } from "../runFolder/files/lineReader.ts";
import { decidingReward } from "../runFolder/metrics/stepReward.ts";
import { isMetricsRow } from "../runFolder/reader.ts";
import type { RunContext } from "./run/context.ts";

/** Null for a step in which fewer than 90 % of the rollouts were scored. @throws AppError `file-unreadable` */
export async function readRewards({
  storage,
}: Pick<RunContext, "storage">): Promise<readonly (number | null)[]> {
  const rewards: (number | null)[] = [];
  for await (const { value } of readLines(storage.fileSystem, runPaths(storage.folder).metrics)) {
    if (!isMetricsRow(value)) continue;
    rewards.push(decidingReward(value));
  }
  return rewards;
}
