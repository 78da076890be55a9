/** Estimates a training with several parts, stages or the runs of a sweep: each part alone, and the total. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../core/config/fields/schema.ts";
import { AppError } from "../../core/errors.ts";
import type { EstimateReport, PartEstimate } from "../../core/estimate/report.ts";
import { DRY_RUN_GROUPS } from "../../shared/dryRun.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import type { TrainerOptions } from "../plan/runPlan.ts";
import type { EstimateRequest } from "../plan/types.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { executeDryRun } from "./dryRun.ts";
import {
  estimateFromRun,
  estimateSupervised,
  type PastRunEstimate,
  pastRunOf,
} from "./estimate.ts";

export interface PartsEstimate
  extends Pick<PastRunEstimate, "planOf" | "fileSystem">,
    Pick<EstimateRequest, "from" | "groups"> {
  /** At least one. */
  readonly parts: readonly Part[];
  /** Parts with the same key are estimated from the same rollouts. */
  readonly basisKey: (config: Config) => string;
}

/** A part as it would start now. */
export interface Part {
  readonly name: string;
  readonly loaded: LoadedConfig;
  /** True for a supervised part whose examples can be read already. */
  readonly hasExamples: boolean;
}

type Played = Pick<PastRunEstimate, "folder" | "played">;

/** @throws AppError like an estimate of any part */
export async function estimateParts(
  trainer: TrainerOptions,
  wanted: PartsEstimate,
): Promise<readonly PartEstimate[]> {
  const { parts, basisKey, planOf, fileSystem } = wanted;
  const cleanup = new CleanupStack();
  const bases = new Map<string, Played>();
  const estimates: PartEstimate[] = [];
  try {
    for (const { name, loaded, hasExamples } of parts) {
      const { method } = loaded.config;
      const onEstimate = (report: EstimateReport) => estimates.push({ name, method, report });
      const own = { loaded, planOf, onEstimate };
      if (hasExamples) {
        await estimateSupervised(trainer, own);
        continue;
      }
      const key = basisKey(loaded.config);
      let basis = bases.get(key);
      if (basis === undefined) {
        const alike = parts.filter((other) => basisKey(other.loaded.config) === key);
        basis = await basisOf(trainer, wanted, { parts: alike, cleanup });
        bases.set(key, basis);
      }
      await estimateFromRun(trainer, { ...own, ...basis, fileSystem });
    }
    return estimates;
  } finally {
    await cleanup.closeAll();
  }
}

/** The past run that all parts are estimated from, or groups played once for all. */
async function basisOf(
  trainer: TrainerOptions,
  { from, groups: wanted, fileSystem, planOf }: PartsEstimate,
  { parts, cleanup }: { readonly parts: readonly Part[]; readonly cleanup: CleanupStack },
): Promise<Played> {
  if (from !== null) return { folder: from };
  const played = parts.find(({ loaded }) => loaded.config.method !== "sft")?.loaded;
  if (played === undefined) {
    throw new AppError(
      "estimate-without-basis",
      "The examples are of a stage that has not been played. Estimate all stages, or name a past run with --from.",
    );
  }
  const past = wanted === null ? await pastRunOf(fileSystem, played) : null;
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
