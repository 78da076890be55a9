/** What a curriculum knows of the tasks of a run, as the run's last save has it. */

import type { FolderFiles } from "../../ports.ts";
import { readEvidence } from "../../runFolder/curriculumTexts.ts";
import { readState } from "../../runFolder/state.ts";
import { posterior } from "./curriculum.ts";

export interface CurriculumTask {
  /** As `taskId` writes it. */
  readonly name: string;
  /** Expected of the next rollout, 0 to 1. */
  readonly success: number;
  readonly pool: ReturnType<typeof posterior>["pool"];
  /** Those that still count: each visit leaves a part of the earlier ones. */
  readonly rollouts: number;
  /** Mean of a rollout. */
  readonly tokens: number;
  /** The last step that trained it, from 0. */
  readonly step: number;
}

export interface CurriculumTasks {
  /** Completed steps of the save. */
  readonly completed: number;
  /** In the order in which they were first tried. */
  readonly tasks: readonly CurriculumTask[];
}

/** Null without a curriculum, and before the first save. @throws AppError `state-invalid`, `state-format` */
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
