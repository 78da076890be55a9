/** Reads where the rollouts of an evaluation are stored. */

import type { FolderFiles } from "../ports.ts";
import { evalPath } from "./files/layout.ts";
import { readLines } from "./files/lineReader.ts";
import { EvaluatedCells } from "./reader.ts";
import {
  type EndedLine,
  type EvaluationUse,
  parseEvaluatedRollout,
} from "./rollouts/rolloutRecord.ts";

export interface StoredEvaluatedRollout {
  /** Its group is counted over all environments, splits and temperatures of the evaluation. */
  readonly place: Pick<EndedLine, "step" | "group" | "rollout" | "offset" | "length">;
  readonly use: EvaluationUse;
}

/**
 * The last stored rollout for each number of each task, of the evaluations after `step` completed steps that `isWanted` names. `folder`
 * is a run folder or one that is laid out like it.
 */
export async function evaluatedRollouts(
  fileSystem: FolderFiles,
  folder: string,
  step: number,
  isWanted: (purpose: string, model?: string) => boolean,
): Promise<readonly StoredEvaluatedRollout[]> {
  const found = new Map<string, StoredEvaluatedRollout>();
  const cells = new EvaluatedCells();
  for await (const { value, offset, length } of readLines(fileSystem, evalPath(folder, step))) {
    const evaluated = parseEvaluatedRollout(value);
    if (evaluated === null) continue;
    const { record, purpose, model, temperature } = evaluated;
    if (!isWanted(purpose, model)) continue;
    const group = cells.groupOf(evaluated);
    const { rollout } = record;
    found.set(`${group}/${rollout}`, {
      place: { step, group, rollout, offset, length },
      use: { temperature, purpose, model },
    });
  }
  return [...found.values()].sort(
    (a, b) => a.place.group - b.place.group || a.place.rollout - b.place.rollout,
  );
}
