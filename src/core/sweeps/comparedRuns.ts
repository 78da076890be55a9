/** By what the runs of a sweep are compared, which is decided once for all of them, and which setting mattered by that. */

import { type SweepEffects, sweepEffects } from "../../shared/sweepEffects.ts";
import type { Fit } from "../runFolder/metrics/fitMetrics.ts";
import type { ListedRun } from "../runs/runList.ts";
import { type Combination, settingsByKey } from "./planSweep.ts";

interface ComparedRun {
  readonly combination: Pick<Combination, "settings">;
  /** Null when it was not started. */
  readonly run: Pick<ListedRun, "reward" | "fit" | "phase" | "steps"> | null;
}

type LossKind = keyof Pick<Fit, "now" | "heldOut">;

export interface SweepComparison {
  /** The mean reward of the last step, unless no run has one and some are supervised. */
  readonly by: "reward" | LossKind;
  readonly effects: SweepEffects;
}

export function compareRuns(runs: readonly ComparedRun[]): SweepComparison {
  const losses = lossesOf(runs);
  const isByLoss =
    losses.some((loss) => loss !== null) && runs.every(({ run }) => (run?.reward ?? null) === null);
  const effects = sweepEffects(
    runs.map(({ combination, run }, index) => ({
      id: String(index),
      settings: settingsByKey(combination.settings),
      result: (isByLoss ? losses[index] : run?.reward) ?? null,
      isDone: run?.phase === "done",
      steps: run?.steps ?? 0,
    })),
  );
  return { by: isByLoss ? lossKind(runs) : "reward", effects };
}

/**
 * Of supervised runs, in nats a token, null for others: the newest loss of what is held out where all of them measured it, else the
 * mean loss of the last steps.
 */
export function lossesOf(runs: readonly Pick<ComparedRun, "run">[]): readonly (number | null)[] {
  const kind = lossKind(runs);
  return runs.map(({ run }) => run?.fit?.[kind] ?? null);
}

function lossKind(runs: readonly Pick<ComparedRun, "run">[]): LossKind {
  return runs.every(({ run }) => run?.fit?.heldOut !== null) ? "heldOut" : "now";
}
