/** One attempt at a run with connected services: claims the folder, trains, and records how it ended. */

import { isAppError } from "../../core/errors.ts";
import type { NewRunEvent } from "../../core/runFolder/events.ts";
import type { Fit } from "../../core/runFolder/metrics/fitMetrics.ts";
import { priceFileOf, writePriceFile } from "../../core/runFolder/priceFile.ts";
import type { RunLease } from "../../core/runFolder/runLease.ts";
import { settingsChanged } from "../../core/runFolder/settingEvents.ts";
import { destinationsOf } from "../../core/secrets/destinations.ts";
import type { TrainingClient } from "../../core/tinker/trainingClient.ts";
import { type LoopEnd, runLoop } from "../../core/training/loop.ts";
import { taskCounts } from "../../core/training/pastTasks.ts";
import type { Preparation } from "../../core/training/prepare.ts";
import { pricesOf, type RunContext } from "../../core/training/run/context.ts";
import type { Watcher } from "../../core/training/run/progress.ts";
import type { LoopPosition } from "../../core/training/step/loopPosition.ts";
import { isTotalAtMost } from "../../core/training/tasks/dataset.ts";
import { usedTotal } from "../../core/usage/prices.ts";
import { raceAbort } from "../../core/util/abort.ts";
import { sha256 } from "../../node/hash.ts";
import { RunRecord } from "../../node/runRecord.ts";
import { formatQuantity } from "../../shared/format.ts";
import type { Trend } from "../../shared/trend.ts";
import { noteDatasets } from "../environments/datasetNote.ts";
import { noteEnvironmentCode } from "../environments/environmentCode.ts";
import { type KnownSplit, knownDifficulties } from "../environments/knownDifficulty.ts";
import { noteTokenizer } from "../models/tokenizerNote.ts";
import { claimRun } from "../plan/claimRun.ts";
import { recordFailure, runEnding } from "../plan/runEnding.ts";
import type { RunPlan, TrainerOptions } from "../plan/runPlan.ts";
import type { RunEnd } from "../plan/types.ts";
import {
  finalLoss,
  type Loss,
  type LostAttempt,
  leaveForRecovery,
  lossOf,
  type RecoveryCount,
  reportRecovery,
} from "../resume/recovery.ts";
import { reportRewind, warnOfExpiry } from "../resume/reportRewind.ts";
import type { ConnectionOptions, TinkerConnection } from "../services/connections.ts";
import type { ReportContext } from "../tracking/reportContext.ts";
import { type RunTrackers, startTrackers, type TrackerAddresses } from "../tracking/trackers.ts";
import type { ListPrices } from "../usage/loadPriceList.ts";
import { evaluateAtEnd } from "./evaluateAtEnd.ts";
import { indexTexts } from "./indexTexts.ts";
import { reportContext, trainingContext } from "./runContext.ts";

export interface RunAttemptOptions {
  readonly trainer: TrainerOptions;
  readonly plan: RunPlan;
  readonly connections: ConnectionOptions;
  readonly trackers: TrackerAddresses;
  readonly tinker: TinkerConnection;
  readonly preparation: Preparation;
  /** The vendor's price list; null if it is unknown or not needed. */
  readonly listPrices: ListPrices | null;
  readonly recoveries: RecoveryCount;
  /** The attempt that this one recovers; null for the first of a process. */
  readonly lost: LostAttempt | null;
}

export class RunAttempt {
  readonly #options: RunAttemptOptions;
  /** Null until the folder is claimed; nothing is recorded before. */
  #lease: RunLease | null = null;
  /** True from the first training request on; a session cannot be lost earlier. */
  #hasBegun = false;
  /** Trend of the mean reward up to the last step of this attempt. */
  #trend: Trend | null = null;
  #fit: Fit | null = null;

  constructor(options: RunAttemptOptions) {
    this.#options = options;
  }

  /** Trains to the end. Once the folder is claimed, `run.json` records how the attempt ended, unless another one follows. */
  async run(): Promise<RunEnd | LostAttempt> {
    const { trainer, plan, preparation, lost, tinker } = this.#options;
    const { control } = trainer;
    try {
      if (plan.isNew) this.#lease = await claimRun(trainer, plan, plan);
      const model = await raceAbort(plan.createModel(tinker, preparation), control.signal);
      await lost?.lease.release();
      const lease = this.#lease ?? (await claimRun(trainer, plan, model));
      this.#lease = lease;
      this.#options.connections.serverOutput.attach(lease.files, lease.folder);
      const reporting = this.#reportContext(lease);
      const record = await this.#noteStart(lease, model.client);
      const context = this.#trainingContext(reporting, model.client, record);
      await this.#recordPrices(lease);
      if (model.rewind !== undefined) await reportRewind(context, model.rewind);
      if (lost !== null) await reportRecovery(context, model.start.step, lost.completed);
      return await this.#train(context, lease, model.start);
    } catch (error) {
      return await this.#endLost(error);
    }
  }

  /** Leaves the run to the next attempt, or records how it ended. @throws AppError what ended it */
  async #endLost(error: unknown): Promise<LostAttempt> {
    const { trainer, recoveries, tinker } = this.#options;
    const { control, controlChannel } = trainer;
    const loss = this.#lossOf(error);
    if (this.#lease !== null && loss !== null && this.#mayRecover) {
      const context = this.#reportContext(this.#lease);
      const left = await leaveForRecovery(context, this.#lease, loss, recoveries);
      controlChannel?.onPhase("preparing");
      await tinker.service.finish("errored");
      return left;
    }
    const cause = loss === null ? (control.failure ?? error) : finalLoss(loss, recoveries);
    const isStopped = isAppError(cause, "stopped");
    if (this.#lease !== null) await this.#recordFailure(this.#lease, cause);
    // `run.json` is written first, because clients read it when notified of the phase.
    controlChannel?.onPhase(isStopped ? "stopped" : "failed");
    await tinker.service.finish(isStopped ? "interrupted" : "errored");
    throw cause;
  }

  /** Records what the user started, for later operations on the folder. */
  async #noteStart({ folder }: RunLease, { modelId }: TrainingClient): Promise<RunRecord> {
    const { trainer, plan } = this.#options;
    const record = await RunRecord.open(folder);
    await record.add(modelId, destinationsOf(plan.loaded.config), trainer.log);
    return record;
  }

  #trainingContext(
    reporting: ReportContext,
    client: TrainingClient,
    record: RunRecord,
  ): RunContext {
    const { connections, listPrices, plan, preparation, tinker, trainer } = this.#options;
    const prices = listPrices?.prices ?? null;
    const { config, path: configPath } = plan.loaded;
    const { variables } = connections;
    const { allowedOrigins = [], control, redactor } = trainer;
    const asking = { config, variables, allowedOrigins, redactor, signal: control.signal };
    const prepared = {
      ...preparation,
      listPrices: prices,
      configPath,
      knownDifficulty: (split: KnownSplit) => knownDifficulties(asking, split),
    };
    const isOwn = (path: string): boolean => record.isOwn(path);
    return trainingContext(reporting, tinker.service, client, prepared, isOwn);
  }

  async #recordPrices({ files, folder }: RunLease): Promise<void> {
    const { plan, listPrices } = this.#options;
    const file = priceFileOf(plan.loaded.config, listPrices);
    if (file !== null) await writePriceFile(files, folder, file);
  }

  async #train(context: RunContext, lease: RunLease, start: LoopPosition): Promise<RunEnd> {
    const { plan, connections, trackers: addresses } = this.#options;
    const trackers = await startTrackers({
      context,
      addresses,
      variables: connections.variables,
      file: lease.file,
      firstStep: start.step,
      knownRunId: plan.wandbRunId ?? null,
      cleanup: connections.cleanup,
    });
    this.#hasBegun = true;
    const { uploads, wandb } = trackers;
    const index = indexTexts(context.storage, connections.cleanup);
    const watch: Watcher = (event) => {
      index(event);
      if (event.kind === "step-finished") this.#trend = event.trend;
      if (event.kind === "batch-finished") this.#fit = event.fit;
      trackers.watch(event);
    };
    const tracked = { ...context, reporting: { ...context.reporting, watch } };
    try {
      const end = await this.#runSteps(tracked, lease, start, wandb?.runId ?? null);
      return await this.#finish(end, lease, trackers);
    } catch (error) {
      // The next attempt sends the rest, in this process or in the one that has taken over the run.
      const isTakenOver = isAppError(error, "run-taken-over");
      if (isTakenOver || (this.#lossOf(error) !== null && this.#mayRecover)) throw error;
      const isFailed = !isAppError(error, "stopped");
      await uploads?.drain(isFailed ? "failed" : "stopped");
      await wandb?.finish(isFailed ? 1 : 0);
      throw error;
    }
  }

  async #runSteps(
    context: RunContext,
    lease: RunLease,
    start: LoopPosition,
    wandbRunId: string | null,
  ): Promise<LoopEnd> {
    const { config, reporting, storage, totalSteps } = context;
    const { step } = start;
    await reporting.enterPhase("running");
    reporting.watch({
      kind: "started",
      folder: storage.folder,
      name: lease.file.name,
      model: config.model_name,
      step,
      totalSteps,
      isTotalAtMost: isTotalAtMost(config),
      stopAtStep: (config.stop_at_step ?? 0) > step ? config.stop_at_step : null,
      groupsPerStep: config.batch_size,
      stepsAhead: config.max_steps_off_policy,
      environments: Object.keys(config.environments),
      examples: exampleCounts(context),
    });
    const message = `Attempt ${storage.attempt} starts.`;
    const data = { model_id: context.services.client.modelId, ...taskCounts(context.sequence) };
    await recordStage(context, step, { kind: "run-started", message, data });
    const { changed } = this.#options.plan;
    if (changed !== undefined && changed.keys.length > 0) {
      reporting.watch({ kind: "settings-changed", step, keys: changed.keys });
      await reporting.events.record(settingsChanged(step, changed.keys, changed.values));
    }
    const { origin } = context.services.chat;
    if (origin !== undefined) await noteTokenizer(origin, context, step);
    await noteEnvironmentCode(this.#options.connections.configPath, context, step);
    await noteDatasets(this.#options.connections.datasets, context, step);
    return runLoop(context, start, {
      runId: lease.file.runId,
      configHash: sha256(JSON.stringify(config)),
      generation: lease.file.generation,
      wandb: wandbRunId,
    });
  }

  /** After the last step: evaluates what was saved, then sends pending tracker data. */
  async #finish(end: LoopEnd, lease: RunLease, trackers: RunTrackers): Promise<RunEnd> {
    const { trainer, connections, tinker } = this.#options;
    const { control, controlChannel, redactor } = trainer;
    const { context, outcome, step } = end;
    const { reporting, storage } = context;
    controlChannel?.onPhase("finishing");
    await reporting.enterPhase("finishing");
    const isDone = outcome === "done";
    await tinker.service.finish(isDone ? "success" : "interrupted");
    await evaluateAtEnd(end, tinker, connections);
    // From here on, Ctrl+C ends the wait for trackers.
    const { isStopping, signal } = control;
    const early = isStopping ? undefined : signal;
    await trackers.uploads?.drain(isStopping ? "stopped" : "done", early);
    const message = `The run is ${outcome} after ${formatQuantity(step, "step")}.`;
    await recordStage(context, step, { kind: "run-ended", message, data: {} });
    await trackers.wandb?.finish(0, early);
    const why = end.ending ?? (isDone ? null : signal.reason);
    const ending = why === null ? {} : { ending: runEnding(why, redactor) };
    await lease.end({ phase: outcome, ...ending });
    const { folder } = storage;
    const reason = end.ending?.message ?? null;
    await storage.usage.flush();
    const used = usedTotal(storage.usage, pricesOf(context));
    const learned = { trend: this.#trend, fit: this.#fit };
    reporting.watch({ kind: "ended", outcome, folder, step, ...learned, reason, used });
    return { outcome, folder, ...ending };
  }

  async #recordFailure(lease: RunLease, cause: unknown): Promise<void> {
    await recordFailure(lease, cause, this.#options.trainer);
    if (!isAppError(cause, "stopped", "run-taken-over"))
      await warnOfExpiry(this.#reportContext(lease));
  }

  #reportContext(lease: RunLease): ReportContext {
    const { trainer, plan, preparation } = this.#options;
    return reportContext(trainer, plan, lease, preparation.totalSteps);
  }

  /** Null if another attempt would not help, or once a stop is requested. */
  #lossOf(error: unknown): Loss | null {
    const { control } = this.#options.trainer;
    if (!this.#hasBegun || control.isStopRequested) return null;
    // If a dead service ended the attempt, the error is only a consequence.
    return lossOf(control.failure ?? error);
  }

  get #mayRecover(): boolean {
    const { made, limit } = this.#options.recoveries;
    return made < limit;
  }
}

function exampleCounts({ examples }: RunContext) {
  if (examples === undefined) return undefined;
  return { trained: examples.trained.length, heldOut: examples.heldOut.length };
}

async function recordStage(
  { reporting }: RunContext,
  step: number,
  event: Pick<NewRunEvent, "kind" | "message" | "data">,
): Promise<void> {
  await reporting.events.record({ step, level: "info", ...event });
}
