/** What a training is going to take, from a past run or from a dry run. */

import type { EstimateBasis } from "../api/estimate.ts";
import { isLocalModel } from "../core/config/fields/presets.ts";
import type { Config } from "../core/config/fields/schema.ts";
import { readBasis } from "../core/estimate/basis.ts";
import { estimateRun } from "../core/estimate/estimate.ts";
import { newestRunLike } from "../core/estimate/pastRun.ts";
import type { EstimateReport } from "../core/estimate/report.ts";
import type { FileSystem, FolderFiles } from "../core/ports.ts";
import { priceFileOf, readPriceFile } from "../core/runFolder/priceFile.ts";
import { askedTasks, type CountedTasks, estimatePlan } from "../core/training/estimatePlan.ts";
import { pastTasks } from "../core/training/pastTasks.ts";
import type { Preparation } from "../core/training/prepare.ts";
import { supervisedEstimate } from "../core/training/supervised/supervisedEstimate.ts";
import { sum } from "../core/util/stats.ts";
import { sha256 } from "../node/hash.ts";
import { runParent } from "../node/runPaths.ts";
import { type LoadedConfig, loadConfig } from "./config/configFiles.ts";
import { connectAndPrepare, connectionOptions } from "./connectRun.ts";
import { type ListPrices, loadListPrices } from "./loadPriceList.ts";
import type { RunPlan, TrainerOptions } from "./runPlan.ts";
import { CleanupStack } from "./services/cleanupStack.ts";
import type { EstimateRequest, RunEnd } from "./types.ts";

/** Asks no service. @throws AppError `config-invalid`, `config-not-found` */
export async function estimateBasis(
  fileSystem: FileSystem,
  { configPath, overrides = [] }: Pick<EstimateRequest, "configPath" | "overrides">,
): Promise<EstimateBasis> {
  const loaded = await loadConfig(fileSystem, configPath, overrides);
  const { model_name: model } = loaded.config;
  const pastRun = await newestRunOf(fileSystem, loaded);
  return { pastRun, model, isBilled: !isLocalModel(model) };
}

/** The folder of the newest run of the same environments and model beside those of a configuration; null without. */
export function newestRunOf(
  fileSystem: FileSystem,
  { config, path }: Pick<LoadedConfig, "config" | "path">,
): Promise<string | null> {
  return newestRunLike(fileSystem, runParent(config, path), config);
}

export interface PastRunEstimate {
  readonly loaded: LoadedConfig;
  /** Plans a new run of a configuration. */
  readonly planOf: (loaded: LoadedConfig) => RunPlan;
  readonly fileSystem: FileSystem;
  /** The folder of the past run. */
  readonly folder: string;
  readonly onEstimate: (report: EstimateReport) => void;
}

/** Reads the folder alone where it knows the tasks, else asks the services for what costs nothing; plays nothing. @throws AppError `estimate-without-basis`, and as a run that cannot begin */
export async function estimateFromRun(
  trainer: TrainerOptions,
  { loaded, planOf, fileSystem, folder, onEstimate }: PastRunEstimate,
): Promise<RunEnd> {
  const services = new CleanupStack();
  try {
    const basis = { fileSystem: fileSystem.within(folder), folder };
    const { config } = loaded;
    // Before anything is asked of a service: most faults are here.
    await readBasis(basis.fileSystem, folder, config);
    const known = await estimateFromFolder(config, basis);
    if (known !== null) {
      onEstimate(known);
      return { outcome: "done", folder: null };
    }
    const plan = planOf(loaded);
    const connections = await connectionOptions(trainer, { loaded, runName: plan.name, services });
    const prepared = await connectAndPrepare(connections, plan, (load) => load());
    const { signal } = trainer.control;
    const listPrices = await loadListPrices({
      config: { ...loaded.config, max_cost_usd: null },
      address: prepared.tinker.service.address,
      folder: null,
      log: trainer.log,
      signal,
    });
    const tasks = askedTasks(prepared.preparation, signal);
    onEstimate(await reportEstimate({ config, tasks, listPrices }, basis));
    await prepared.tinker.service.finish("success");
    return { outcome: "done", folder: null };
  } catch (error) {
    throw trainer.redactor.redactError(error);
  } finally {
    await services.closeAll();
  }
}

interface PastRunFiles {
  readonly fileSystem: FolderFiles;
  readonly folder: string;
}

/** Asks no service; null where the folder of the past run does not know all tasks. @throws AppError `estimate-without-basis` */
export async function estimateFromFolder(
  config: Config,
  basis: PastRunFiles,
): Promise<EstimateReport | null> {
  const tasks = await pastTasks(config, sha256, basis);
  if (tasks === null) return null;
  return reportEstimate({ config, tasks, listPrices: await keptPrices(config, basis) }, basis);
}

interface Planned {
  readonly config: Config;
  readonly tasks: CountedTasks;
  readonly listPrices: ListPrices | null;
}

/** The vendor's prices as the past run recorded them; null if it has none, or another model. */
async function keptPrices(
  { model_name: model }: Config,
  { fileSystem, folder }: PastRunFiles,
): Promise<ListPrices | null> {
  const kept = await readPriceFile(fileSystem, folder);
  return kept?.source === "price_list" && kept.model === model ? kept : null;
}

/** What a supervised run takes, by its examples; null for reinforcement learning. */
export function supervisedReport({
  config,
  preparation,
  listPrices,
}: {
  readonly config: Config;
  readonly preparation: Preparation;
  readonly listPrices: ListPrices | null;
}): EstimateReport | null {
  const { examples } = preparation;
  if (examples === undefined) return null;
  const prices = priceFileOf(config, listPrices);
  const projected = supervisedEstimate(config, preparation, examples, prices?.prices ?? null);
  const { max_cost_usd, max_tokens_total, max_hours } = config;
  return {
    ...projected,
    prices,
    restsOn: { run: null, steps: 0, groups: 0, rollouts: 0, examples: examples.trained.length },
    budgets: { max_cost_usd, max_tokens_total, max_hours },
  };
}

/** Reads the examples of a supervised run; asks services for what costs nothing. @throws AppError as a run that cannot begin */
export async function estimateSupervised(
  trainer: TrainerOptions,
  { loaded, planOf, onEstimate }: Pick<PastRunEstimate, "loaded" | "planOf" | "onEstimate">,
): Promise<RunEnd> {
  const services = new CleanupStack();
  try {
    const plan = planOf(loaded);
    const connections = await connectionOptions(trainer, { loaded, runName: plan.name, services });
    const { preparation, tinker } = await connectAndPrepare(connections, plan, (load) => load());
    const listPrices = await loadListPrices({
      config: { ...loaded.config, max_cost_usd: null },
      address: tinker.service.address,
      folder: null,
      log: trainer.log,
      signal: trainer.control.signal,
    });
    const report = supervisedReport({ config: loaded.config, preparation, listPrices });
    if (report !== null) onEstimate(report);
    await tinker.service.finish("success");
    return { outcome: "done", folder: null };
  } catch (error) {
    throw trainer.redactor.redactError(error);
  } finally {
    await services.closeAll();
  }
}

/** `isPlayed` when the folder is that of a dry run of the same configuration. */
export async function reportEstimate(
  { config, tasks, listPrices }: Planned,
  basis: PastRunFiles & { readonly isPlayed?: boolean },
): Promise<EstimateReport> {
  const { folder, fileSystem, isPlayed = false } = basis;
  const plan = await estimatePlan(config, tasks);
  const played = await readBasis(fileSystem, folder, config);
  const prices = priceFileOf(config, listPrices);
  const { groups, times } = played;
  return {
    estimate: estimateRun({ ...played, isForwardOnly: isPlayed }, plan, prices?.prices ?? null),
    plan,
    prices,
    restsOn: {
      run: isPlayed ? null : folder,
      steps: times.length,
      groups: groups.length,
      rollouts: sum(groups.map(({ rollouts }) => rollouts.length)),
    },
    budgets: {
      max_cost_usd: config.max_cost_usd,
      max_tokens_total: config.max_tokens_total,
      max_hours: config.max_hours,
    },
  };
}
