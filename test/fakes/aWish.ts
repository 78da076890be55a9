/** A wish for a training, as a task of the editor has it. */

import type { TrainingWish } from "../../src/host/runs/trainings.ts";

/** For a new run, from no folder's task, unless `changes` say otherwise. */
export function aWish(configPath: string, changes: Partial<TrainingWish> = {}): TrainingWish {
  return {
    ...{ configPath, title: "train", resume: null, project: null },
    ...{ overrides: [], settingOverrides: [] },
    ...changes,
  };
}
