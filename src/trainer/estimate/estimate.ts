/** Estimates what training will take, from a past run or a dry run. */

import type { Config } from "../../core/config/fields/schema.ts";
import { type Basis, readBasis } from "../../core/estimate/basis.ts";
import { estimateRun } from "../../core/estimate/estimate.ts";
import { pastRunLike } from "../../core/estimate/pastRun.ts";
import type { EstimateReport } from "../../core/estimate/report.ts";
import { unseenExamplesEstimate } from "../../core/estimate/unseenExamples.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import { priceFileOf, readPriceFile } from "../../core/runFolder/priceFile.ts";
import { requireRunFile } from "../../core/runFolder/runFile.ts";
import {
  askedTasks,
  type CountedTasks,
  collectEstimate,
  estimatePlan,
  supervisedEstimate,
} from "../../core/training/estimatePlan.ts";
import { pastTasks } from "../../core/training/pastTasks.ts";
import type { Preparation } from "../../core/training/prepare.ts";
import type { Prices } from "../../core/usage/prices.ts";
import { sha256 } from "../../node/hash.ts";
import { runParent } from "../../node/runPaths.ts";
import { sum } from "../../shared/mean.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import { connectAndPrepare, connectionOptions } from "../plan/connectRun.ts";
import type { RunPlan, TrainerOptions } from "../plan/runPlan.ts";
import type { RunEnd } from "../plan/types.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { type ListPrices, loadListPrices } from "../usage/loadPriceList.ts";

/** The folder of the past run next to a configuration's own that is most like it; null if there is none. */
export function pastRunOf(
  fileSystem: FileSystem,
  { config, path }: Pick<LoadedConfig, "config" | "path">,
): Promise<string | null> {
  return pastRunLike(fileSystem, runParent(config, path), config, sha256);
}

export interface PastRunEstimate {
  readonly loaded: LoadedConfig;
  /** Plans a new run of a configuration. */
  readonly planOf: (loaded: LoadedConfig) => RunPlan;
  readonly fileSystem: FileSystem;
  /** The folder of the past run, or of groups played for the estimate. */
  readonly folder: string;
  /** The prices of the played groups; absent for a past run. */
  readonly played?: Pick<EstimateReport, "prices">;
  readonly onEstimate: (report: EstimateReport) => void;
}

/**
 * Uses the folder alone if it has the task counts, else asks services for them; plays nothing.
 * @throws AppError `run-not-found`, `estimate-without-basis`, and like a run that cannot start
 */
export async function estimateFromRun(
  trainer: TrainerOptions,
  { fileSystem, folder, played, ...asking }: PastRunEstimate,
): Promise<RunEnd> {
  const basis = { fileSystem: fileSystem.within(folder), folder, played };
  const { config } = asking.loaded;
  // Checked before any service is asked, because most problems are here.
  if (played === undefined) await requireRunFile(basis.fileSystem, folder);
  await readBasis(basis.fileSystem, folder, config);
  const known = await estimateFromFolder(config, basis);
  if (known === null) {
    return askServices(trainer, asking, (preparation, listPrices) => {
      const tasks = askedTasks(preparation, trainer.control.signal);
      const project = projectTasks(config, tasks);
      return reportEstimate({ config, project, listPrices }, basis);
    });
  }
  asking.onEstimate(known);
  return { outcome: "done", folder: null };
}

/** Reads a supervised run's examples; makes only free service calls. @throws AppError like a run that cannot start */
export function estimateSupervised(trainer: TrainerOptions, asking: Asking): Promise<RunEnd> {
  const { config } = asking.loaded;
  return askServices(trainer, asking, async (preparation, listPrices) =>
    supervisedReport({ config, preparation, listPrices }),
  );
}

type Asking = Pick<PastRunEstimate, "loaded" | "planOf" | "onEstimate">;

/** Prepares a run as if it were to start, and reports on it. */
async function askServices(
  trainer: TrainerOptions,
  { loaded, planOf, onEstimate }: Asking,
  report: (
    preparation: Preparation,
    listPrices: ListPrices | null,
  ) => Promise<EstimateReport | null>,
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
    const estimate = await report(preparation, listPrices);
    if (estimate !== null) onEstimate(estimate);
    await tinker.service.finish("success");
    return { outcome: "done", folder: null };
  } catch (error) {
    throw trainer.redactor.redactError(error);
  } finally {
    await services.closeAll();
  }
}

interface PastRunFiles extends Pick<PastRunEstimate, "folder"> {
  readonly fileSystem: FolderFiles;
  readonly played?: PastRunEstimate["played"] | undefined;
}

/** Asks no service; null if the past run's folder lacks some task counts. @throws AppError `estimate-without-basis` */
export async function estimateFromFolder(
  config: Config,
  basis: PastRunFiles,
): Promise<EstimateReport | null> {
  const listPrices = await keptPrices(config, basis);
  if (config.method === "sft") {
    const project: Project = async (...played) => unseenExamplesEstimate(config, ...played);
    return reportEstimate({ config, project, listPrices }, basis);
  }
  // A collecting stage evaluates nothing.
  const evaluation = config.method === "collect" ? null : config.evaluation;
  const tasks = await pastTasks({ ...config, evaluation }, sha256, basis);
  if (tasks === null) return null;
  return reportEstimate({ config, project: projectTasks(config, tasks), listPrices }, basis);
}

interface Planned {
  readonly config: Config;
  readonly project: Project;
  readonly listPrices: ListPrices | null;
}

/** Projects the plan from what was played. */
type Project = (
  basis: Basis,
  prices: Prices | null,
) => Promise<Pick<EstimateReport, "estimate" | "plan">>;

/** Projection for a run that plays tasks. */
export function projectTasks(config: Config, tasks: CountedTasks): Project {
  return async (basis, prices) => {
    if (config.method === "collect") return collectEstimate(config, tasks, basis, prices);
    const plan = await estimatePlan(config, tasks);
    return { plan, estimate: estimateRun(basis, plan, prices) };
  };
}

/** List prices as recorded by the past run; null if it has none or used another model. */
async function keptPrices(
  { model_name: model }: Config,
  { fileSystem, folder, played }: PastRunFiles,
): Promise<ListPrices | null> {
  const kept = played === undefined ? await readPriceFile(fileSystem, folder) : played.prices;
  return kept?.source === "price_list" && kept.model === model ? kept : null;
}

/** Estimate of a supervised run from its examples; null for reinforcement learning. */
export function supervisedReport({
  config,
  preparation,
  listPrices,
}: {
  readonly config: Config;
  readonly preparation: Preparation;
  readonly listPrices: ListPrices | null;
}): EstimateReport | null {
  const { examples, sequence } = preparation;
  if (examples === undefined) return null;
  const prices = priceFileOf(config, listPrices);
  const projected = supervisedEstimate(config, sequence, examples, prices?.prices ?? null);
  const { max_cost_usd, max_tokens_total, max_hours } = config;
  return {
    ...projected,
    model: config.model_name,
    prices,
    restsOn: { run: null, steps: 0, groups: 0, rollouts: 0, examples: examples.trained.length },
    budgets: { max_cost_usd, max_tokens_total, max_hours },
  };
}

/** `basis.played` is set if the folder is a dry run's, of the same configuration or the same stages. */
export async function reportEstimate(
  { config, project, listPrices }: Planned,
  basis: PastRunFiles,
): Promise<EstimateReport> {
  const { folder, fileSystem } = basis;
  const isPlayed = basis.played !== undefined;
  const played = await readBasis(fileSystem, folder, config);
  const prices = priceFileOf(config, listPrices);
  const { groups, times } = played;
  const steps = { ...played, isForwardOnly: isPlayed };
  return {
    ...(await project(steps, prices?.prices ?? null)),
    model: config.model_name,
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
