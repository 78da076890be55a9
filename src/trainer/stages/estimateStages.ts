/** Estimates a training run with several stages: each stage alone, and the total. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../core/config/fields/schema.ts";
import { namedWeights } from "../../core/config/rules/namedWeights.ts";
import { referencedStage } from "../../core/config/rules/stageRules.ts";
import { sharedBudgets } from "../../core/config/stages.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { joinStages } from "../../core/estimate/joinStages.ts";
import type { EstimateReport, StageEstimate } from "../../core/estimate/report.ts";
import type { FolderFiles } from "../../core/ports.ts";
import { stageConfig } from "../../core/sweeps/planStages.ts";
import { requireWeights } from "../../node/savedWeights.ts";
import type { StartConfig } from "../../node/startConfig.ts";
import { DRY_RUN_GROUPS } from "../../shared/dryRun.ts";
import { formatKey } from "../../shared/format.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import { loadNamed } from "../config/requireNamed.ts";
import { executeDryRun } from "../estimate/dryRun.ts";
import {
  estimateFromFolder,
  estimateFromRun,
  estimateSupervised,
  newestRunOf,
  type PastRunEstimate,
} from "../estimate/estimate.ts";
import type { TrainerOptions } from "../plan/runPlan.ts";
import type { EstimateRequest, RunEnd } from "../plan/types.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { stageStart } from "./stageStart.ts";

interface StagesEstimate
  extends Pick<PastRunEstimate, "planOf" | "fileSystem">,
    Pick<EstimateRequest, "from" | "groups" | "onEstimate"> {
  readonly start: StartConfig;
  /** At least one. */
  readonly names: readonly string[];
}

/** A stage as it would start now. */
interface Stage {
  readonly name: string;
  readonly loaded: LoadedConfig;
  /** True for a supervised stage whose examples can be read already. */
  readonly hasExamples: boolean;
}

type Played = Pick<PastRunEstimate, "folder" | "played">;

/** @throws AppError like an estimate of any stage */
export async function estimateStages(
  trainer: TrainerOptions,
  wanted: StagesEstimate,
): Promise<RunEnd> {
  const { start, names, fileSystem, planOf, onEstimate } = wanted;
  const cleanup = new CleanupStack();
  try {
    const stages: Stage[] = [];
    for (const name of names) stages.push(await loadStage(trainer, wanted, name));
    const isPlayed = stages.some(({ hasExamples }) => !hasExamples);
    const basis = isPlayed ? await basisOf(trainer, wanted, { stages, cleanup }) : null;
    const estimates: StageEstimate[] = [];
    for (const { name, loaded, hasExamples } of stages) {
      const { method } = loaded.config;
      const own = {
        loaded,
        planOf,
        onEstimate: (report: EstimateReport) => estimates.push({ name, method, report }),
      };
      if (hasExamples) await estimateSupervised(trainer, own);
      else if (basis !== null) await estimateFromRun(trainer, { ...own, ...basis, fileSystem });
    }
    onEstimate(joinStages(estimates, sharedBudgets(start.text, start)));
    return { outcome: "done", folder: null };
  } finally {
    await cleanup.closeAll();
  }
}

/** Uses the runs of earlier stages if they are done. */
async function loadStage(
  trainer: TrainerOptions,
  { start, fileSystem, names }: StagesEstimate,
  name: string,
): Promise<Stage> {
  const chosen = { ...start, overrides: [...start.overrides, `stage=${name}`] };
  const { config } = await loadNamed(chosen, trainer, start);
  const request = { start: chosen, config, member: undefined };
  const begun = await stageStart(fileSystem, request).catch(notRun);
  const own = begun ?? { ...chosen, overrides: [...chosen.overrides, ...baseWeights(config)] };
  const named = await loadNamed(own, trainer, start);
  await requireWeights(named.config, named.path);
  // All stages share the file's warnings, so only the first shows them.
  const loaded = name === names[0] ? named : { ...named, warnings: [] };
  const isKnown = begun !== null || !readsStages(config);
  return { name, loaded, hasExamples: config.method === "sft" && isKnown };
}

/** Uses the base model in place of untrained weights, since the cost of a stage does not depend on them. */
function baseWeights(config: Config): readonly string[] {
  const { kl_reference: reference, model_name: base } = config;
  const isUnknown = reference === "init" || referencedStage(reference) !== null;
  const teachers = namedWeights(config).flatMap(({ path, given }) => {
    const isTeacher = path.at(-1) === "checkpoint" && referencedStage(given) !== null;
    if (!isTeacher) return [];
    return [`${formatKey(path)}=null`, `${formatKey([...path.slice(0, -1), "model"])}=${base}`];
  });
  return ["init_from=null", ...(isUnknown ? ["kl_reference=base"] : []), ...teachers];
}

function notRun(error: unknown): null {
  if (isAppError(error, "stage-not-run")) return null;
  throw error;
}

function readsStages({ data }: Config): boolean {
  return data.some(({ run }) => referencedStage(run) !== null);
}

/** The past run that all estimates are based on, or groups played once for all. */
async function basisOf(
  trainer: TrainerOptions,
  { from, groups: wanted, fileSystem, planOf }: StagesEstimate,
  { stages, cleanup }: { readonly stages: readonly Stage[]; readonly cleanup: CleanupStack },
): Promise<Played> {
  if (from !== null) return { folder: from };
  const played = stages.find(({ loaded }) => loaded.config.method !== "sft")?.loaded;
  if (played === undefined) {
    throw new AppError(
      "estimate-without-basis",
      "The examples are of a stage that has not been played. Estimate all stages, or name a past run with --from.",
    );
  }
  const past = wanted === null ? await newestRunOf(fileSystem, played) : null;
  if (past !== null) return { folder: past };
  const parent = await mkdtemp(join(tmpdir(), "tinker-rl-estimate-"));
  cleanup.add(() => rm(parent, { recursive: true, force: true }));
  const config = { ...played.config, method: "rl", log_path: parent } as const;
  const groups = (wanted ?? DRY_RUN_GROUPS) * Object.keys(config.environments).length;
  const found: Played[] = [];
  // Watchers are not notified of a folder that is removed afterwards.
  const { onClaim: _, ...unnoticed } = trainer;
  await executeDryRun(unnoticed, {
    loaded: { ...played, config, warnings: [] },
    planOf,
    groups,
    isKept: true,
    onPlayed: async (folder, { prices }) => {
      found.push({ folder, played: { prices } });
    },
  });
  const [basis] = found;
  if (basis === undefined) throw new AppError("stopped", "The estimate was stopped.");
  return basis;
}

/** From a past run alone; null if it lacks task counts or a stage has its own examples. @throws AppError `estimate-without-basis` */
export async function stagesFromFolder(
  { text, path }: Pick<StartConfig, "text" | "path">,
  names: readonly string[],
  basis: { readonly fileSystem: FolderFiles; readonly folder: string },
): Promise<EstimateReport | null> {
  const estimates: StageEstimate[] = [];
  for (const name of names) {
    const config = stageConfig({ text, path, overrides: [] }, name);
    if (config === null || (config.method === "sft" && !readsStages(config))) return null;
    const report = await estimateFromFolder(config, basis);
    if (report === null) return null;
    estimates.push({ name, method: config.method, report });
  }
  return joinStages(estimates, sharedBudgets(text, { path, overrides: [] }));
}
