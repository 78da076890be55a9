/** The trainer functions that commands call, with one shared redactor, so that none of them reports a secret of another. */

import type { FileSystem } from "../../core/ports.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { openChat } from "../../trainer/chat/openChat.ts";
import { serveModel } from "../../trainer/chat/serveModel.ts";
import { changeByAddress, changeInRun } from "../../trainer/checkpoints/changeInRun.ts";
import {
  type DownloadRequest,
  downloadCheckpoint,
} from "../../trainer/checkpoints/downloadCheckpoint.ts";
import { describeCheckpoint, listCheckpoints } from "../../trainer/checkpoints/listCheckpoints.ts";
import { checkEnvironments } from "../../trainer/environments/checkEnvironments.ts";
import { previewPrompt } from "../../trainer/environments/previewPrompt.ts";
import { estimateBasis } from "../../trainer/estimate/estimateBasis.ts";
import { listModels } from "../../trainer/models/listModels.ts";
import { playTask } from "../../trainer/play/playTask.ts";
import { serve } from "../../trainer/serve.ts";
import {
  resumeTraining,
  startDryRun,
  startEstimate,
  startEvaluation,
  startTraining,
} from "../../trainer/trainer.ts";
import { billedRun } from "../../trainer/usage/billedRun.ts";

export type TrainerApi = ReturnType<typeof createTrainerApi>;

export function createTrainerApi(redactor: Redactor, programFolder: string) {
  const clean =
    <Request, Result>(run: (request: Request) => Result) =>
    (request: Request) =>
      run({ ...request, redactor });
  const cleanIn =
    <Files, Request, Result>(run: (files: Files, request: Request) => Result) =>
    (files: Files, request: Request) =>
      run(files, { ...request, redactor, programFolder });
  return {
    startTraining: clean(startTraining),
    resumeTraining: clean(resumeTraining),
    startDryRun: clean(startDryRun),
    estimateBasis,
    startEstimate: clean(startEstimate),
    startEvaluation: clean(startEvaluation),
    listCheckpoints: cleanIn(listCheckpoints),
    describeCheckpoint: cleanIn(describeCheckpoint),
    downloadCheckpoint: (files: FileSystem, request: Omit<DownloadRequest, "programFolder">) =>
      downloadCheckpoint(files, { ...request, redactor, programFolder }),
    changeCheckpoints: cleanIn(changeByAddress),
    changeInRun: cleanIn(changeInRun),
    checkEnvironments: cleanIn(checkEnvironments),
    previewPrompt: cleanIn(previewPrompt),
    playTask: cleanIn(playTask),
    openChat: cleanIn(openChat),
    serveModel: cleanIn(serveModel),
    billedRun: cleanIn(billedRun),
    listModels: clean(listModels),
    serve,
  };
}
