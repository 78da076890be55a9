/** A run's progress in one sentence. The same in pages, trees, the status bar, terminals and tool answers. */

import * as l10n from "@vscode/l10n";
import {
  formatBounds,
  formatCount,
  formatMeasure,
  formatReward,
  plural,
} from "../../shared/format.ts";
import { groupBy } from "../../shared/groupBy.ts";
import type { EvaluatedReward } from "../../shared/sweepResult.ts";
import { nearestTemperature } from "../../shared/trainedTemperature.ts";
import type { Trend } from "../../shared/trend.ts";
import { isSameCell } from "../config/rules/evaluationCells.ts";
import { cellName, type EvaluationEntry, type StoredResult } from "../runFolder/evaluationLog.ts";
import type { Fit } from "../runFolder/metrics/fitMetrics.ts";
import type { TrainingTemperatures } from "../runFolder/trainingTemperatures.ts";

/** Mean reward in the newest evaluation on tasks that are not trained on. */
export interface HeldOutReward {
  /** Environment and split if several are evaluated; null if there is only one. */
  readonly name: string | null;
  /** Reward in the first evaluation; null if that is also the newest. */
  readonly was: number | null;
  readonly now: number;
  /** Bounds of the 95% confidence interval of `now`; null if unknown. */
  readonly low: number | null;
  readonly high: number | null;
}

export interface SentenceFacts {
  /** Trend of the steps' mean reward; null if unknown. */
  readonly trend: Trend | null;
  /** Rewards of splits that are not trained on; empty without an evaluation. */
  readonly heldOut: readonly HeldOutReward[];
  /** Loss progress of a supervised run; absent or null for reinforcement learning. */
  readonly fit?: Fit | null;
}

/**
 * A sentence without a period: `Learning: 0.16 → 0.84 in 40 steps; held-out 0.14 → 0.84 [0.78, 0.90]`, or for a supervised run
 * `Loss: 2.84 → 0.51 in 30 steps, 0.50 on held-out examples; reward 0.14 → 0.84`. Null if nothing is known.
 */
export function runSentence({ trend, heldOut, fit = null }: SentenceFacts): string | null {
  const shown = heldOut.slice(0, MAX_SPLITS).map(heldOutText).join(", ");
  if (fit !== null) {
    return shown === "" ? fitText(fit) : `${fitText(fit)}; ${l10n.t("reward")} ${shown}`;
  }
  if (trend === null) return shown === "" ? null : `${l10n.t("Held-out")} ${shown}`;
  return shown === "" ? trendText(trend) : `${trendText(trend)}; ${l10n.t("held-out")} ${shown}`;
}

/**
 * Results by split from the newest evaluation of the run's own weights, at the training temperature or the nearest one below it,
 * otherwise at the lowest; empty without an evaluation.
 */
export function heldOutRewards(
  evaluations: readonly Pick<EvaluationEntry, "model" | "results" | "step">[],
  trainedAt: TrainingTemperatures,
): readonly HeldOutReward[] {
  const own = evaluations.filter(({ model }) => model === undefined);
  const newest = own.at(-1);
  if (newest === undefined) return [];
  const splits = groupBy(newest.results, ({ environment, split }) => `${environment} ${split}`);
  return [...splits].flatMap(([name, results]) => {
    const [first] = results;
    if (first === undefined || first.split === TRAINING_SPLIT) return [];
    const evaluatedAt = results.map((result) => result.temperature);
    const temperature = nearestTemperature(evaluatedAt, trainedAt(first.environment));
    const now = results.find((result) => result.temperature === temperature) ?? first;
    const was = own
      .find(({ step }) => step < newest.step)
      ?.results.find((result) => isSameCell(result, now));
    return {
      name: splits.size > 1 ? name : null,
      was: was?.rewardMean ?? null,
      now: now.rewardMean,
      low: now.low,
      high: now.high,
    };
  });
}

/**
 * Mean rewards from evaluations of the run's own weights, beginning with the training temperature and the nearest ones below it.
 * If several evaluations follow the same step, the last one counts.
 */
export function evaluatedRewards(
  evaluations: readonly EvaluationEntry[],
  trainedAt: TrainingTemperatures,
): readonly EvaluatedReward[] {
  const belowTraining = ({ environment, temperature }: StoredResult): number =>
    trainedAt(environment) - temperature;
  const found = new Map<string, { readonly below: number; readonly reward: EvaluatedReward }>();
  for (const { model, step, results } of evaluations) {
    if (model !== undefined) continue;
    for (const result of results.filter(({ split }) => split !== TRAINING_SPLIT)) {
      const reward = { cell: cellName(result), step, reward: result.rewardMean };
      found.set(`${step} ${reward.cell}`, { below: belowTraining(result), reward });
    }
  }
  return [...found.values()]
    .sort(
      (a, b) => Number(a.below < 0) - Number(b.below < 0) || Math.abs(a.below) - Math.abs(b.below),
    )
    .map(({ reward }) => reward);
}

/** Maximum number of splits in a sentence. */
const MAX_SPLITS = 3;
/** A run may also evaluate tasks that it trains on. */
const TRAINING_SPLIT = "train";

function heldOutText({ name, was, now, low, high }: HeldOutReward): string {
  const change = was === null ? formatReward(now) : `${formatReward(was)} → ${formatReward(now)}`;
  const named = name === null ? change : `${name} ${change}`;
  return `${named} ${formatBounds({ low, high })}`.trimEnd();
}

function fitText({ steps, was, now, heldOut }: Fit): string {
  const change = plural(
    steps,
    "Loss: {2} in {0} step",
    "Loss: {1} → {2} in {0} steps",
    formatMeasure(was),
    formatMeasure(now),
  );
  if (heldOut === null) return change;
  return l10n.t("{0}, {1} on held-out examples", change, formatMeasure(heldOut));
}

function trendText(trend: Trend): string {
  if (trend.direction === "unclear") {
    const { groups, steps } = trend;
    return groups === null
      ? plural(steps, "Too early to tell ({0} step)", "Too early to tell ({0} steps)")
      : plural(groups, "Too early to tell ({0} group)", "Too early to tell ({0} groups)");
  }
  const { direction, since, steps, was, now } = trend;
  if (direction === "rising") {
    return plural(
      steps,
      "Learning: {1} → {2} in {0} step",
      "Learning: {1} → {2} in {0} steps",
      formatReward(was),
      formatReward(now),
    );
  }
  if (direction === "flat") return plural(steps, "Flat for {0} step", "Flat for {0} steps");
  return l10n.t(
    "Falling since step {0}: was {1}, now {2}",
    formatCount(since + 1),
    formatReward(was),
    formatReward(now),
  );
}
