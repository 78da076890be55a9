/** A training request as an editor task makes it. */

import type { TrainingRequest } from "../../src/host/runs/trainings.ts";

/** For a new run that no folder's task started, unless `changes` differ. */
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
