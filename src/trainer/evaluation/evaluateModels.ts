/** A standalone evaluation: compares models on the same tasks and seeds, without training. */

import type { EvaluationConfig } from "../../core/config/fields/schema.ts";
import { withOnlyEvaluated } from "../../core/config/taskChoices.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import { priceFileOf, writePriceFile } from "../../core/runFolder/priceFile.ts";
import type { RunLease } from "../../core/runFolder/runLease.ts";
import { destinationsOf } from "../../core/secrets/destinations.ts";
import type { SamplingClient } from "../../core/tinker/samplingClient.ts";
import { openCollectBudget } from "../../core/training/evaluation/collectBudget.ts";
import { evaluate } from "../../core/training/evaluation/evaluate.ts";
import { BUDGET_ENDS } from "../../core/training/run/budgets.ts";
import { type PlayContext, pricesOf } from "../../core/training/run/context.ts";
import { report } from "../../core/training/run/report.ts";
import { START } from "../../core/training/step/loopPosition.ts";
import { type UsedTotal, usedTotal } from "../../core/usage/prices.ts";
import { raceAbort } from "../../core/util/abort.ts";
import { runName as configuredName } from "../../node/runPaths.ts";
import { RunRecord } from "../../node/runRecord.ts";
import type { PlannedModel, RunOwner, SweepMember } from "../../shared/runFile.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import { requireBaseModel } from "../models/createModel.ts";
import { namedSampler } from "../models/goneState.ts";
import { claimRun } from "../plan/claimRun.ts";
import { connectAndPrepare, connectionOptions, type PreparedServices } from "../plan/connectRun.ts";
import { recordFailure, runEnding } from "../plan/runEnding.ts";
import type { TrainerOptions } from "../plan/runPlan.ts";
import type { RunEnd } from "../plan/types.ts";
import { playContext, reportContext } from "../run/runContext.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import type { ConnectionOptions } from "../services/connections.ts";
import type { ReportContext } from "../tracking/reportContext.ts";
import { EVALUATION, type RolloutUploads, startUploads } from "../tracking/upload.ts";
import { type UploadAddress, uploadAddress } from "../tracking/uploadAddress.ts";
import { type ListPrices, loadListPrices } from "../usage/loadPriceList.ts";
import { claimEvaluation, evaluationName, unfinishedEvaluation } from "./evaluationFolder.ts";

export interface ModelEvaluation {
  readonly fileSystem: FileSystem;
  readonly loaded: LoadedConfig;
  /** All are compared with the first. */
  readonly models: readonly PlannedModel[];
  readonly owner: RunOwner;
  /** Present if this is a stage; absent for a standalone evaluation. */
  readonly sweep?: SweepMember | undefined;
  /** True for a collecting run or stage, which its budgets limit; absent = no. */
  readonly endsOnBudget?: boolean;
}

/**
 * Evaluates the models one after another. Continues an interrupted evaluation of the same models with the same settings.
 * @throws AppError from any part, cleaned of secrets
 */
export async function evaluateModels(
  trainer: TrainerOptions,
  wanted: ModelEvaluation,
): Promise<RunEnd> {
  trainer.controlChannel?.refuseTraining();
  const services = new CleanupStack();
  try {
    const { loaded } = wanted;
    const evaluation = requireEvaluation(loaded);
    const runName = evaluationName(loaded);
    const all = await connectionOptions(trainer, { loaded, runName, services });
    const connections = { ...all, config: withOnlyEvaluated(loaded.config) };
    const address = findUploadAddress(connections);
    const prepared = await connectAndPrepare(connections, { loaded }, (load) => load());
    const folder = await unfinishedEvaluation(wanted);
    const listPrices = await pricesOfList(trainer, wanted, folder, prepared.tinker.service.address);
    const claim = () => claimEvaluation(wanted, folder);
    const lease = await claimRun(trainer, { loaded, claim }, { start: START });
    connections.serverOutput.attach(lease.files, lease.folder);
    const record = await RunRecord.open(lease.folder);
    await record.add(null, destinationsOf(loaded.config), trainer.log);
    const reporting = reportContext(trainer, { loaded }, lease, null);
    const uploads = await startUploads({
      context: reporting,
      address,
      file: { runId: lease.file.runId, name: configuredName(loaded.config, loaded.path) },
      firstStep: 0,
      activity: EVALUATION,
      cleanup: services,
    });
    const measuring = { evaluation, prepared, listPrices, lease, reporting, uploads };
    return await measure(trainer, wanted, measuring);
  } catch (error) {
    throw trainer.redactor.redactError(error);
  } finally {
    await services.closeAll();
  }
}

interface Measuring {
  readonly evaluation: EvaluationConfig;
  readonly prepared: PreparedServices;
  readonly listPrices: ListPrices | null;
  readonly lease: RunLease;
  readonly reporting: ReportContext;
  readonly uploads: RolloutUploads | null;
}

/** Null if nothing is to be uploaded; the redactor learns the key. */
function findUploadAddress(connections: ConnectionOptions): UploadAddress | null {
  const config = { ...connections.config, openreward_upload: false };
  const address = uploadAddress({ ...connections, config });
  if (address !== null) connections.redactor.learn(address.key);
  return address;
}

async function measure(
  trainer: TrainerOptions,
  wanted: ModelEvaluation,
  measuring: Measuring,
): Promise<RunEnd> {
  const { control, controlChannel, redactor, watch } = trainer;
  const { lease, prepared, reporting, uploads } = measuring;
  const { folder } = lease;
  const { service } = prepared.tinker;
  try {
    await playModels(trainer, wanted, measuring);
  } catch (error) {
    // If a dead service ended the evaluation, this error is only a consequence.
    const cause = control.failure ?? error;
    const isBudget = isAppError(cause, ...BUDGET_ENDS);
    const isStopped = isBudget || isAppError(cause, "stopped");
    if (isBudget) {
      const { code: kind, message } = cause;
      await report(reporting.reporting, { step: null, level: "warn", kind, message });
    }
    await uploads?.drain(isStopped ? "stopped" : "failed");
    await recordFailure(lease, cause, trainer);
    controlChannel?.onPhase(isStopped ? "stopped" : "failed");
    await service.finish(isStopped ? "interrupted" : "errored");
    if (!isStopped) throw cause;
    watch({ kind: "evaluation-ended", outcome: "stopped", used: usedBy(wanted, measuring) });
    return { outcome: "stopped", folder, ending: runEnding(cause, redactor) };
  }
  await service.finish("success");
  await uploads?.drain("done", control.signal);
  await lease.end({ phase: "done" });
  watch({ kind: "evaluation-ended", outcome: "done", used: usedBy(wanted, measuring) });
  return { outcome: "done", folder };
}

function usedBy(
  { loaded: { config } }: ModelEvaluation,
  { reporting: { storage }, listPrices }: Measuring,
): UsedTotal {
  const prices = pricesOf({ config, listPrices: listPrices?.prices ?? null });
  return usedTotal(storage.usage, prices);
}

async function playModels(
  trainer: TrainerOptions,
  wanted: ModelEvaluation,
  { evaluation, prepared, listPrices, lease, reporting, uploads }: Measuring,
): Promise<void> {
  const { control, watch } = trainer;
  const { loaded, models, endsOnBudget = false } = wanted;
  const { tinker, preparation } = prepared;
  const { files, folder } = lease;
  const file = priceFileOf(loaded.config, listPrices);
  if (file !== null) await writePriceFile(files, folder, file);
  const watchPlaying = uploads?.beside(watch) ?? watch;
  const context = playContext(
    { ...reporting, reporting: { ...reporting.reporting, watch: watchPlaying } },
    tinker.service,
    { ...preparation, listPrices: listPrices?.prices ?? null, configPath: loaded.path },
  );
  const names = models.map(({ name }) => name);
  watch({ kind: "evaluation-started", folder, name: lease.file.name, models: names });
  await lease.update({ phase: "running" });
  const budget = endsOnBudget ? await openCollectBudget(context) : { context, count: undefined };
  for (const model of models) {
    const sampler = await raceAbort(samplerOf(context, model), control.signal);
    const { name, path, step } = model;
    const place = { step, purpose: "asked", model: { name, path } } as const;
    await evaluate(budget.context, evaluation, sampler, place, budget.count);
  }
}

/** List prices, if known and needed. @throws AppError `prices-unknown` */
function pricesOfList(
  { control, log }: TrainerOptions,
  { loaded: { config }, endsOnBudget }: ModelEvaluation,
  folder: string | null,
  address: string,
): Promise<ListPrices | null> {
  return loadListPrices({
    // An evaluation does not need prices, so its budget does not require them.
    config: endsOnBudget === true ? config : { ...config, max_cost_usd: null },
    address,
    folder,
    log,
    signal: control.signal,
  });
}

async function samplerOf(
  { config, services: { service } }: PlayContext,
  { path }: PlannedModel,
): Promise<SamplingClient> {
  if (path === null) return service.samplerForBase(config.model_name);
  const sampler = await namedSampler(service, path);
  requireBaseModel(sampler.baseModel, config, path);
  return sampler;
}

/** `loadEvaluation` has already rejected configurations without one. */
function requireEvaluation({ config }: LoadedConfig): EvaluationConfig {
  if (config.evaluation !== null) return config.evaluation;
  throw new AppError("invariant", "Add the key evaluation to evaluate.");
}
