/** Stored rollouts of an evaluation, used to compare a later one and to continue an interrupted one. */

import { groupBy } from "../../../shared/groupBy.ts";
import type { EvaluationCell } from "../../config/rules/evaluationCells.ts";
import type { RolloutTask } from "../../rollout/rollout.ts";
import type { EvaluationKey } from "../../rollout/seeds.ts";
import type { EvaluationEntry } from "../../runFolder/evaluationLog.ts";
import { evalPath } from "../../runFolder/files/layout.ts";
import { readLines } from "../../runFolder/files/lineReader.ts";
import {
  parseEvaluatedRollout,
  type RolloutRecord,
} from "../../runFolder/rollouts/rolloutRecord.ts";
import type { RunStorage } from "../run/context.ts";
import type { EvaluatedRecord } from "./evaluation.ts";

/** The fields kept in memory; the texts of thousands of rollouts would take too much. */
export interface PlayedRollout extends EvaluatedRecord {
  readonly group: number;
  readonly rollout: number;
  readonly wasScoredWithGroup: boolean;
}

export function playedRollout(record: RolloutRecord): PlayedRollout {
  const { index, reward, group, rollout, rewardBreakdown } = record;
  return {
    index,
    reward,
    group,
    rollout,
    turns: record.turns.map(({ tokens }) => ({ tokens })),
    wasScoredWithGroup: rewardBreakdown.group !== null,
  };
}

/** The last stored rollout for each rollout number of each task. */
export class PlayedRollouts {
  readonly #stored = new Map<string, { readonly record: PlayedRollout; readonly cell: string }>();

  add(record: RolloutRecord, temperature: number): void {
    const cell = cellKey({ ...record, temperature });
    this.#stored.set(rolloutKey(record, temperature), { record: playedRollout(record), cell });
  }

  inCell(cell: EvaluationCell): readonly PlayedRollout[] {
    const wanted = cellKey(cell);
    return [...this.#stored.values()].flatMap((each) =>
      each.cell === wanted ? [each.record] : [],
    );
  }

  /** Stored records of `tasks`, and the tasks without one. A group that its environment scored together is kept or replayed as a whole. */
  ofTasks(
    { temperature }: EvaluationCell,
    tasks: readonly RolloutTask[],
  ): { readonly records: readonly PlayedRollout[]; readonly missing: readonly RolloutTask[] } {
    const records: PlayedRollout[] = [];
    const missing: RolloutTask[] = [];
    for (const group of groupBy(tasks, (task) => task.group).values()) {
      const found = group.map((task) => this.#stored.get(rolloutKey(task, temperature))?.record);
      const known = found.filter((record) => record !== undefined);
      const isCut =
        known.length < group.length && known.some((record) => record.wasScoredWithGroup);
      if (isCut) missing.push(...group);
      else {
        records.push(...known);
        missing.push(...group.filter((_, position) => found[position] === undefined));
      }
    }
    return { records, missing };
  }
}

/** The stored rollouts of one evaluation. */
export async function readPlayed(
  { fileSystem, folder }: Pick<RunStorage, "fileSystem" | "folder">,
  { step, purpose, model }: Pick<EvaluationEntry, "step" | "purpose" | "model">,
): Promise<PlayedRollouts> {
  const played = new PlayedRollouts();
  for await (const { value } of readLines(fileSystem, evalPath(folder, step))) {
    const rollout = parseEvaluatedRollout(value);
    if (rollout === null || rollout.purpose !== purpose || rollout.model !== model?.name) continue;
    played.add(rollout.record, rollout.temperature);
  }
  return played;
}

function cellKey({ environment, split, temperature }: EvaluationCell): string {
  return JSON.stringify([environment, split, temperature]);
}

function rolloutKey(
  { environment, split, index, rollout }: EvaluationKey,
  temperature: number,
): string {
  return JSON.stringify([environment, split, temperature, index, rollout]);
}
