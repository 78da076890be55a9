/** What a curriculum knows about a run's tasks, read from the run's last save. */

import type { FolderFiles } from "../../ports.ts";
import { readEvidence } from "../../runFolder/curriculumTexts.ts";
import { readState } from "../../runFolder/state.ts";
import { posterior } from "./curriculum.ts";

export interface CurriculumTask {
  /** As returned by `taskId`. */
  readonly name: string;
  /** Expected success of the next rollout, from 0 to 1. */
  readonly success: number;
  readonly pool: ReturnType<typeof posterior>["pool"];
  /** Effective number of rollouts; older ones count less after each visit. */
  readonly rollouts: number;
  /** Mean tokens per rollout. */
  readonly tokens: number;
  /** The last step that trained it, from 0. */
  readonly step: number;
}

export interface CurriculumTasks {
  /** Completed steps at the save. */
  readonly completed: number;
  /** In the order in which they were first tried. */
  readonly tasks: readonly CurriculumTask[];
}

/** Null without a curriculum or before the first save. @throws AppError `state-invalid`, `state-format` */
export async function readCurriculumTasks(
  fileSystem: FolderFiles,
  folder: string,
): Promise<CurriculumTasks | null> {
  const state = await readState(fileSystem, folder);
  if (state?.curriculum === undefined) return null;
  const evidence = readEvidence(state.curriculum.tasks) ?? new Map();
  const tasks = Array.from(
    evidence,
    ([name, { successes, failures, tokens, step }]): CurriculumTask => {
      const { mean: success, pool } = posterior({ successes, failures });
      return { name, success, pool, rollouts: successes + failures, tokens, step };
    },
  );
  return { completed: state.step, tasks };
}
