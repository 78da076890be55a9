/** Estimates the runs of a sweep: each alone, and the total. */

import { joinEstimates } from "../../core/estimate/joinEstimates.ts";
import { basisKey } from "../../core/estimate/pastRun.ts";
import { combinationName } from "../../core/sweeps/planSweep.ts";
import { checkedSweep } from "../../node/loadSweep.ts";
import { requireWeights } from "../../node/savedWeights.ts";
import type { StartConfig } from "../../node/startConfig.ts";
import { loadNamed } from "../config/requireNamed.ts";
import type { TrainerOptions } from "../plan/runPlan.ts";
import type { EstimateRequest, RunEnd } from "../plan/types.ts";
import { estimateParts, type Part, type PartsEstimate } from "./estimateParts.ts";

/** @throws AppError `config-invalid` with a line per problem of the grid, and like an estimate of any run */
export async function estimateSweep(
  trainer: TrainerOptions,
  {
    start,
    grid,
    onEstimate,
    ...given
  }: Omit<PartsEstimate, "parts" | "basisKey"> &
    Pick<EstimateRequest, "onEstimate"> & {
      readonly start: StartConfig;
      readonly grid: readonly string[];
    },
): Promise<RunEnd> {
  const parts: Part[] = [];
  const { plan } = checkedSweep({ ...start, path: start.shownPath, grid });
  for (const combination of plan.combinations) {
    const chosen = { ...start, overrides: combination.overrides };
    const named = await loadNamed(chosen, trainer, start);
    await requireWeights(named.config, named.path);
    // All runs share the file's warnings, so only the first shows them.
    const loaded = parts.length === 0 ? named : { ...named, warnings: [] };
    const hasExamples = named.config.method === "sft";
    parts.push({ name: combinationName(combination), loaded, hasExamples });
  }
  const estimates = await estimateParts(trainer, { ...given, parts, basisKey });
  const budgets = { max_cost_usd: null, max_tokens_total: null, max_hours: null };
  onEstimate(joinEstimates({ kind: "runs", estimates }, budgets));
  return { outcome: "done", folder: null };
}
