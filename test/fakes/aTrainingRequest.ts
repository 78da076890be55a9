/** A request for a training, as a task of the editor has it. */

import type { TrainingRequest } from "../../src/host/runs/trainings.ts";

/** For a new run, from no folder's task, unless `changes` say otherwise. */
export function aTrainingRequest(
  configPath: string,
  changes: Partial<TrainingRequest> = {},
): TrainingRequest {
  return {
    configPath,
    title: "train",
    resume: null,
    project: null,
    overrides: [],
    settingOverrides: [],
    ...changes,
  };
}
