/** One attempt at a run, from its configuration to its end: the order in which everything is put together. */

import { dirname } from "node:path";
import { tokenizerNameOf } from "../core/chat/modelName.ts";
import { isLocalModel } from "../core/config/presets.ts";
import { errorMessage, isAppError } from "../core/errors.ts";
import { createRolloutStore } from "../core/runFolder/rolloutStore.ts";
import type { RunLease } from "../core/runFolder/runLease.ts";
import { redactingLog } from "../core/secrets/redaction/redactingPorts.ts";
import { Redactor } from "../core/secrets/redaction/redactor.ts";
import { resolveSecrets } from "../core/secrets/resolve.ts";
import { type RunContext, runLimits } from "../core/training/context.ts";
import { runLoop } from "../core/training/loop.ts";
import type { LoopPosition } from "../core/training/loopPosition.ts";
import { type Preparation, prepareRun } from "../core/training/prepare.ts";
import type { Watcher } from "../core/training/progress.ts";
import { raceAbort } from "../core/util/abort.ts";
import { systemClock } from "../node/clock.ts";
import { measureLag } from "../node/eventLoopLag.ts";
import { sha256 } from "../node/hash.ts";
import { proxyPasswords } from "../node/proxyPasswords.ts";
import { systemRandom } from "../node/random.ts";
import type { DownloadProgress } from "../node/tokenizer/hubDownload.ts";
import { formatQuantity } from "../shared/format.ts";
import { claimRun, reportContext } from "./claimRun.ts";
import { writtenSecrets } from "./config/configFiles.ts";
import { evaluateAtEnd } from "./evaluateAtEnd.ts";
import { finishRun } from "./finishRun.ts";
import { loadTokenizer } from "./loadTokenizer.ts";
import { reportRewind, warnOfExpiry } from "./reportRewind.ts";
import { runEnding } from "./runEnding.ts";
import type { RunPlan, StartedModel, TrainerScope } from "./runPlan.ts";
import {
  type ConnectionOptions,
  connectEnvironmentServices,
  connectModelService,
  type TinkerConnection,
} from "./services/connections.ts";
import { loadVariables } from "./services/variables.ts";
import { HUB_TOKEN } from "./tokenizerFolder.ts";
import { noteTokenizer } from "./tokenizerNote.ts";
import { type RolloutUploads, startUploads } from "./tracking/upload.ts";
import { type UploadAddress, uploadAddress } from "./tracking/uploadAddress.ts";
import { startWandb, type WandbReport } from "./tracking/wandb.ts";
import { type WandbAddress, wandbAddress } from "./tracking/wandbAddress.ts";
import type { RunEnd } from "./types.ts";

/** Runs the plan to its end. @throws AppError from any part, with the key or file at fault, cleaned of secrets */
export async function executeRun(scope: TrainerScope, plan: RunPlan): Promise<RunEnd> {
  const { redactor = new Redactor() } = scope;
  try {
    const log = redactingLog(scope.log, redactor);
    return await runPlan({ ...scope, log }, plan, redactor);
  } catch (error) {
    throw redactor.redactError(error);
  }
}

async function runPlan(scope: TrainerScope, plan: RunPlan, redactor: Redactor): Promise<RunEnd> {
  const { watch, control } = scope;
  const { config, path, warnings } = plan.loaded;
  for (const message of warnings) watch({ kind: "warning", message });
  for (const secret of writtenSecrets(config)) redactor.learn(secret);
  for (const secret of proxyPasswords(process.env)) redactor.learn(secret);
  const variables = await loadVariables(dirname(path), scope.launchRequest);
  const parts: ConnectionOptions = {
    ...scope,
    ...{ config, variables, redactor },
    runName: plan.name,
    allowedOrigins: scope.allowedOrigins ?? [],
  };
  const uploadTo = uploadAddress(parts);
  if (uploadTo !== null) redactor.learn(uploadTo.key);
  const wandbTo = await wandbAddress(parts);
  if (wandbTo !== null) redactor.learn(wandbTo.key);
  if (plan.isOver === true)
    return finishRun(scope, plan, { redactor, uploadTo, wandbTo, variables });
  watch({
    kind: "preparing",
    what: isLocalModel(config.model_name) ? "starting the embedded engine" : "connecting",
  });
  redactor.learn(variables(HUB_TOKEN)?.value ?? "");
  const { allowedOrigins } = parts;
  const onProgress = downloads(watch);
  const options = { signal: control.signal, onProgress, variables, allowedOrigins };
  // Reading the tokenizer takes longest of all preparation, so it begins first. Its failure surfaces where it is awaited.
  const tokenizer = loadTokenizer(tokenizerNameOf(config), scope.programs, path, options);
  tokenizer.catch(() => undefined);
  const [tinker, environment] = await raceAbort(
    Promise.all([connectModelService(parts), connectEnvironmentServices(parts)]),
    control.signal,
  );
  const preparing = prepareRun({
    config,
    service: tinker.service,
    sha256,
    clock: systemClock,
    random: systemRandom,
    environment,
    loadModel: () => tokenizer,
    secretsOf: (name) =>
      resolveSecrets({
        environment: name,
        environmentSecrets: config.environments[name]?.secrets ?? null,
        globalSecrets: config.secrets,
        lookUp: async (key) => variables(key)?.value ?? null,
        redactor,
      }),
    onPart: (what) => watch({ kind: "preparing", what }),
    onWarning: (message) => watch({ kind: "warning", message }),
  });
  const preparation = await raceAbort(preparing, control.signal);
  return trainAndRecord(scope, plan, { preparation, tinker, parts, redactor, uploadTo, wandbTo });
}

interface PreparedRun {
  readonly preparation: Preparation;
  readonly tinker: TinkerConnection;
  readonly parts: ConnectionOptions;
  readonly redactor: Redactor;
  readonly uploadTo: UploadAddress | null;
  readonly wandbTo: WandbAddress | null;
}

/** Trains. Once the folder is claimed, `run.json` records how the attempt ended. */
async function trainAndRecord(
  scope: TrainerScope,
  plan: RunPlan,
  { preparation, redactor, ...others }: PreparedRun,
): Promise<RunEnd> {
  const { control } = scope;
  const { tinker } = others;
  let lease: RunLease | null = null;
  try {
    if (plan.isNew) lease = await claimRun(scope, plan, redactor, plan);
    const model = await raceAbort(plan.createModel(tinker, preparation), control.signal);
    lease ??= await claimRun(scope, plan, redactor, model);
    const context = runContext(scope, plan, { preparation, lease, tinker, model, redactor });
    if (model.rewind !== undefined) await reportRewind(context, model.rewind);
    return await train(scope, plan, { ...others, context, lease, start: model.start });
  } catch (error) {
    // When the run was ended because a service died, this error is only a consequence of that failure.
    const cause = control.failure ?? error;
    const isStopped = isAppError(cause, "stopped");
    if (lease !== null) await recordEnd(scope, plan, { lease, redactor, cause });
    // `run.json` is written first, because a client that hears of the phase reads it.
    scope.controlChannel?.onPhase(isStopped ? "stopped" : "failed");
    await tinker.service.finish(isStopped ? "interrupted" : "errored");
    throw cause;
  }
}

async function recordEnd(
  scope: TrainerScope,
  plan: RunPlan,
  end: { readonly lease: RunLease; readonly redactor: Redactor; readonly cause: unknown },
): Promise<void> {
  const { lease, redactor, cause } = end;
  const isStopped = isAppError(cause, "stopped");
  const phase = isStopped ? "stopped" : "failed";
  const ending = runEnding(cause, redactor);
  // A full disk must not hide the cause. Without the record the run counts as interrupted.
  await lease.end({ phase, ending }).catch((fault: unknown) => {
    scope.log.warn("The end of the run could not be written down.", {
      reason: errorMessage(fault),
    });
  });
  if (!isStopped) await warnOfExpiry(reportContext(scope, plan, lease, redactor));
}

/** Says once for each file that it is being downloaded. */
function downloads(watch: Watcher): (progress: DownloadProgress) => void {
  let current = "";
  return ({ file }) => {
    if (file === current) return;
    current = file;
    watch({ kind: "preparing", what: `downloading ${file}` });
  };
}

interface RunPieces {
  readonly preparation: Preparation;
  readonly lease: RunLease;
  readonly tinker: TinkerConnection;
  readonly model: StartedModel;
  readonly redactor: Redactor;
}

function runContext(scope: TrainerScope, plan: RunPlan, pieces: RunPieces): RunContext {
  const { preparation, lease, tinker, model, redactor } = pieces;
  return {
    ...reportContext(scope, plan, lease, redactor),
    client: model.client,
    enterPhase: (phase) => lease.update({ phase }),
    ...preparation.chat,
    store: createRolloutStore({ fileSystem: lease.files, redactor, folder: lease.folder }),
    service: tinker.service,
    environments: preparation.environments,
    sequence: preparation.sequence,
    totalSteps: preparation.totalSteps,
    limits: runLimits(plan.loaded.config),
    lagMs: measureLag(),
  };
}

interface TrainingPieces {
  readonly context: RunContext;
  readonly start: LoopPosition;
  readonly lease: RunLease;
  readonly tinker: TinkerConnection;
  readonly parts: ConnectionOptions;
  /** Null when the rollouts are not uploaded. */
  readonly uploadTo: UploadAddress | null;
  /** Null when nothing is sent to Weights & Biases. */
  readonly wandbTo: WandbAddress | null;
}

async function train(scope: TrainerScope, plan: RunPlan, pieces: TrainingPieces): Promise<RunEnd> {
  const { lease, uploadTo: address, start } = pieces;
  const { cleanup } = scope;
  const uploads = startUploads({
    ...{ context: pieces.context, file: lease.file, firstStep: start.step },
    ...{ address, cleanup },
  });
  const wandb = await startWandb({
    ...{ context: pieces.context, file: lease.file, firstStep: start.step, cleanup },
    ...{ address: pieces.wandbTo, variables: pieces.parts.variables },
    knownRunId: plan.wandbRunId ?? null,
  });
  const beside = uploads?.beside(scope.watch) ?? scope.watch;
  const watch = wandb?.beside(beside) ?? beside;
  try {
    return await trainToEnd(scope, plan, {
      ...pieces,
      ...{ context: { ...pieces.context, watch }, uploads, wandb },
    });
  } catch (error) {
    const isFailed = !isAppError(error, "stopped");
    await uploads?.drain(isFailed ? "failed" : "stopped");
    await wandb?.finish(isFailed ? 1 : 0);
    throw error;
  }
}

async function trainToEnd(
  scope: TrainerScope,
  plan: RunPlan,
  pieces: TrainingPieces & {
    readonly uploads: RolloutUploads | null;
    readonly wandb: WandbReport | null;
  },
): Promise<RunEnd> {
  const { context, lease, tinker, parts, start } = pieces;
  const { config, folder, totalSteps } = context;
  await lease.update({ phase: "running" });
  context.watch({
    kind: "started",
    folder,
    name: lease.file.name,
    model: config.model_name,
    step: start.step,
    totalSteps,
    groupsPerStep: config.batch_size,
    environments: Object.keys(config.environments),
  });
  await event(context, start.step, "run-started", `Attempt ${context.attempt} starts.`);
  await noteTokenizer(context, start.step);
  const end = await runLoop(context, start, {
    runId: lease.file.runId,
    configHash: sha256(JSON.stringify(config)),
    changedKeys: plan.changedKeys,
    generation: lease.file.generation,
    ...(pieces.wandb !== null && { wandb: pieces.wandb.runId }),
  });
  scope.controlChannel?.onPhase("finishing");
  await lease.update({ phase: "finishing" });
  await tinker.service.finish(end.outcome === "done" ? "success" : "interrupted");
  await evaluateAtEnd(scope, end, tinker, parts);
  // From here on Ctrl+C ends the waiting for trackers.
  const { isStopping, signal } = scope.control;
  const early = isStopping ? undefined : signal;
  await pieces.uploads?.drain(isStopping ? "stopped" : "done", early);
  await event(
    context,
    end.step,
    "run-ended",
    `The run is ${end.outcome} after ${formatQuantity(end.step, "step")}.`,
  );
  await pieces.wandb?.finish(0, early);
  const isDone = end.outcome === "done";
  const ending = isDone ? {} : { ending: runEnding(scope.control.signal.reason, parts.redactor) };
  await lease.end({ phase: end.outcome, ...ending });
  context.watch({
    kind: "ended",
    outcome: end.outcome,
    folder,
    step: end.step,
    rewards: end.rewards,
  });
  return { outcome: end.outcome, folder };
}

async function event(
  context: RunContext,
  step: number,
  kind: string,
  message: string,
): Promise<void> {
  await context.events.record({ step, level: "info", kind, message, data: {} });
}
