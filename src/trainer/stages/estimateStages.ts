/** Estimates a training run with several stages: each stage alone, and the total. */

import type { Config } from "../../core/config/fields/schema.ts";
import { namedWeights } from "../../core/config/rules/namedWeights.ts";
import { referencedStage } from "../../core/config/rules/stageRules.ts";
import { sharedBudgets } from "../../core/config/stages.ts";
import { isAppError } from "../../core/errors.ts";
import { joinEstimates } from "../../core/estimate/joinEstimates.ts";
import type { EstimateReport, PartEstimate } from "../../core/estimate/report.ts";
import type { FolderFiles } from "../../core/ports.ts";
import { stageConfig } from "../../core/sweeps/planStages.ts";
import { requireWeights } from "../../node/savedWeights.ts";
import type { StartConfig } from "../../node/startConfig.ts";
import { formatKey } from "../../shared/format.ts";
import { loadNamed } from "../config/requireNamed.ts";
import { estimateFromFolder } from "../estimate/estimate.ts";
import { estimateParts, type Part, type PartsEstimate } from "../estimate/estimateParts.ts";
import type { TrainerOptions } from "../plan/runPlan.ts";
import type { EstimateRequest, RunEnd } from "../plan/types.ts";
import { stageStart } from "./stageStart.ts";

interface StagesEstimate
  extends Omit<PartsEstimate, "parts" | "basisKey">,
    Pick<EstimateRequest, "onEstimate"> {
  readonly start: StartConfig;
  /** At least one. */
  readonly names: readonly string[];
}

/** @throws AppError like an estimate of any stage */
export async function estimateStages(
  trainer: TrainerOptions,
  wanted: StagesEstimate,
): Promise<RunEnd> {
  const { start, names, onEstimate } = wanted;
  const parts: Part[] = [];
  for (const name of names) parts.push(await loadStage(trainer, wanted, name));
  const estimates = await estimateParts(trainer, { ...wanted, parts, basisKey: () => "" });
  onEstimate(joinEstimates({ kind: "stages", estimates }, sharedBudgets(start.text, start)));
  return { outcome: "done", folder: null };
}

/** Uses the runs of earlier stages if they are done. */
async function loadStage(
  trainer: TrainerOptions,
  { start, fileSystem, names }: StagesEstimate,
  name: string,
): Promise<Part> {
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

/** From a past run alone; null if it lacks task counts or a stage has its own examples. @throws AppError `estimate-without-basis` */
export async function stagesFromFolder(
  { text, path }: Pick<StartConfig, "text" | "path">,
  names: readonly string[],
  basis: { readonly fileSystem: FolderFiles; readonly folder: string },
): Promise<EstimateReport | null> {
  const estimates: PartEstimate[] = [];
  for (const name of names) {
    const config = stageConfig({ text, path, overrides: [] }, name);
    if (config === null || (config.method === "sft" && !readsStages(config))) return null;
    const report = await estimateFromFolder(config, basis);
    if (report === null) return null;
    estimates.push({ name, method: config.method, report });
  }
  return joinEstimates({ kind: "stages", estimates }, sharedBudgets(text, { path, overrides: [] }));
}
