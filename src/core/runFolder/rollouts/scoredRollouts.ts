/** Reads the scored rollouts of a step. */

import { taskId } from "../../../shared/taskId.ts";
import type { FolderFiles } from "../../ports.ts";
import { stepPaths } from "../files/layout.ts";
import { readLines } from "../files/lineReader.ts";
import { type EndedLine, indexLineSchema, type ScoredLine } from "./rolloutRecord.ts";

export interface StoredScore {
  readonly ended: EndedLine;
  readonly score: ScoredLine;
  /** Number of earlier groups in the step with the same task. */
  readonly sameTaskBefore: number;
}

/** Sorted by group and rollout; `folder` is a run folder or has the same layout. */
export async function scoredRollouts(
  fileSystem: FolderFiles,
  folder: string,
  step: number,
): Promise<readonly StoredScore[]> {
  const ended = new Map<string, EndedLine>();
  const scores = new Map<string, ScoredLine>();
  for await (const { value } of readLines(fileSystem, stepPaths(folder, step).index)) {
    const line = indexLineSchema.safeParse(value).data;
    if (line === undefined || line.kind === "tokens") continue;
    const key = `${line.group}/${line.rollout}`;
    if (line.kind === "ended") ended.set(key, line);
    else scores.set(key, line);
  }
  const earlier = sameTasks([...ended.values()]);
  return [...ended]
    .flatMap(([key, line]): readonly StoredScore[] => {
      const score = scores.get(key);
      const sameTaskBefore = earlier.get(line.group) ?? 0;
      return score === undefined ? [] : [{ ended: line, score, sameTaskBefore }];
    })
    .sort((a, b) => a.ended.group - b.ended.group || a.ended.rollout - b.ended.rollout);
}

/** Per group, how many groups before it have the same task. */
function sameTasks(lines: readonly EndedLine[]): ReadonlyMap<number, number> {
  const taskOf = new Map<number, string>();
  for (const line of lines) taskOf.set(line.group, taskId(line));
  const seen = new Map<string, number>();
  const before = new Map<number, number>();
  for (const group of [...taskOf.keys()].sort((a, b) => a - b)) {
    const task = taskOf.get(group) ?? "";
    before.set(group, seen.get(task) ?? 0);
    seen.set(task, (seen.get(task) ?? 0) + 1);
  }
  return before;
}
