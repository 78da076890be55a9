/** Which setting of a sweep mattered, by what its runs have in common. */

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

interface ComparedRun {
  readonly combination: Pick<Combination, "settings">;
  /** Null when it was not started. */
  readonly run: Pick<ListedRun, "evaluated" | "fit" | "phase" | "recentRewards" | "steps"> | null;
}

export interface SweepComparison {
  readonly by: SweepBasis;
  /** What each run reached by that; null where there is nothing. */
  readonly results: readonly (number | null)[];
  readonly effects: SweepEffects;
}

export function compareRuns(runs: readonly ComparedRun[]): SweepComparison {
  const measured = runs.map(({ run }) => (run === null ? null : measuresOf(run)));
  const by = sweepBasis(measured);
  const results = measured.map((run) => (run === null ? null : resultBy(by, run)));
  const effects = sweepEffects(
    runs.map(({ combination }, index) => ({
      id: String(index),
      settings: settingsByKey(combination.settings),
      result: results[index] ?? null,
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
 * Of supervised runs, in nats a token, null for others: the newest loss of what is held out where all of them measured it, else the
 * mean loss of the last steps.
 */
export function lossesOf(runs: readonly Pick<ComparedRun, "run">[]): readonly (number | null)[] {
  const kind = lossKind(runs.flatMap(({ run }) => run ?? []));
  return runs.map(({ run }) => run?.fit?.[kind] ?? null);
}
