/** Compares a sweep's runs to find out which setting mattered. */

import type { RunFile } from "../../shared/runFile.ts";
import { type SweepEffects, sweepEffects } from "../../shared/sweepEffects.ts";
import {
  lastRewardsMean,
  lossKind,
  resultBy,
  type SweepBasis,
  type SweepMeasures,
  sweepBasis,
} from "../../shared/sweepResult.ts";
import type { ListedRun } from "../runs/runList.ts";
import { type Combination, settingsByKey } from "./planSweep.ts";

export interface ComparedRun {
  readonly combination: Pick<Combination, "settings">;
  /** Null if it was not started. */
  readonly run:
    | (Pick<ListedRun, "evaluated" | "fit" | "phase" | "recentRewards" | "steps"> & {
        readonly file: Pick<RunFile, "sweep"> | null;
      })
    | null;
}

export interface SweepComparison {
  readonly by: SweepBasis;
  /** Each run's result on this basis; null if it has none. */
  readonly results: readonly (number | null)[];
  readonly effects: SweepEffects;
}

/** True if a setting that its sweep varies was changed while it ran, so that it says nothing about its combination. */
export function hasLeft({ run }: Pick<ComparedRun, "run">): boolean {
  return run?.file?.sweep?.left !== undefined;
}

export function compareRuns(runs: readonly ComparedRun[]): SweepComparison {
  const measured = runs.map(({ run }) => (run === null ? null : measuresOf(run)));
  const by = sweepBasis(measured);
  const results = measured.map((run) => (run === null ? null : resultBy(by, run)));
  const effects = sweepEffects(
    runs.map((run, index) => ({
      id: String(index),
      settings: settingsByKey(run.combination.settings),
      result: hasLeft(run) ? null : (results[index] ?? null),
      isDone: measured[index]?.isDone ?? false,
      steps: measured[index]?.steps ?? 0,
    })),
  );
  return { by, results, effects };
}

function measuresOf({
  phase,
  steps,
  recentRewards,
  fit,
  evaluated,
}: NonNullable<ComparedRun["run"]>): SweepMeasures {
  const recentReward = lastRewardsMean(recentRewards);
  return { isDone: phase === "done", steps, recentReward, fit, evaluated };
}

/**
 * Losses of supervised runs, otherwise null: the newest held-out loss if all runs measured it, or else the mean loss of the last
 * steps. In nats per token.
 */
export function lossesOf(runs: readonly Pick<ComparedRun, "run">[]): readonly (number | null)[] {
  const kind = lossKind(runs.flatMap(({ run }) => run ?? []));
  return runs.map(({ run }) => run?.fit?.[kind] ?? null);
}
