/** A set of rollouts uploaded together: those of a training step or of one evaluation. */

import type { FolderFiles } from "../../ports.ts";
import type { EvaluationEntry } from "../../runFolder/evaluationLog.ts";
import { evalPath } from "../../runFolder/files/layout.ts";
import { readLines } from "../../runFolder/files/lineReader.ts";
import { EvaluatedCells, type RolloutSummary } from "../../runFolder/reader.ts";
import {
  type EndedLine,
  type EvaluationUse,
  parseEvaluatedRollout,
} from "../../runFolder/rollouts/rolloutRecord.ts";
import { scoredRollouts } from "../../runFolder/rollouts/scoredRollouts.ts";
import type { RolloutUse } from "./describeRollout.ts";

export interface UploadSet {
  /** For an evaluation, the number of completed steps. */
  readonly step: number;
  /** Purpose of the evaluation, plus its model's name if it has one; absent for a training step. */
  readonly evaluation?: string | undefined;
}

/** A stored rollout to upload. */
export interface UploadableRollout {
  readonly location: Pick<EndedLine, "step" | "group" | "rollout" | "offset" | "length"> &
    Pick<RolloutSummary, "source">;
  readonly use: RolloutUse;
  /** Distinguishes rollouts that would share a name within their set. */
  readonly nameSuffix: string;
}

/** A unique key for a set of the run. */
export function setKey({ step, evaluation }: UploadSet): string {
  return evaluation === undefined ? String(step) : `${step} ${evaluation}`;
}

export function evaluationSet({
  step,
  purpose,
  model,
}: Pick<EvaluationEntry, "step" | "purpose" | "model">): Required<UploadSet> {
  return { step, evaluation: evaluationName(purpose, model?.name) };
}

/** `folder` is a run folder or one of superseded rollouts. */
export async function uploadableRollouts(
  fileSystem: FolderFiles,
  folder: string,
  { step, evaluation }: UploadSet,
): Promise<readonly UploadableRollout[]> {
  if (evaluation === undefined) {
    const scored = await scoredRollouts(fileSystem, folder, step);
    return scored.map(({ ended, score, sameTaskBefore }) => ({
      location: { ...ended, source: "training" },
      use: score,
      nameSuffix: sameTaskBefore === 0 ? "" : `-g${ended.group}`,
    }));
  }
  const isOfSet = (purpose: string, model?: string): boolean =>
    evaluationName(purpose, model) === evaluation;
  const found = await evaluatedRollouts(fileSystem, folder, step, isOfSet);
  return found.map(({ location, use }) => ({
    location: { ...location, source: "evaluation" },
    use,
    nameSuffix: "",
  }));
}

function evaluationName(purpose: string, model: string | undefined): string {
  return model === undefined ? purpose : `${purpose} ${model}`;
}

interface StoredEvaluatedRollout {
  /** Groups are numbered across all environments, splits and temperatures of the evaluation. */
  readonly location: Pick<EndedLine, "step" | "group" | "rollout" | "offset" | "length">;
  readonly use: EvaluationUse;
}

/**
 * The last stored version of each rollout from the evaluations after `step` completed steps that `isWanted` selects. `folder` is
 * a run folder or has the same layout.
 */
async function evaluatedRollouts(
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
      location: { step, group, rollout, offset, length },
      use: { temperature, purpose, model },
    });
  }
  return [...found.values()].sort(
    (a, b) => a.location.group - b.location.group || a.location.rollout - b.location.rollout,
  );
}
