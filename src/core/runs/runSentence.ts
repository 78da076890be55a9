/** How a run is doing, in one sentence: the same in pages, trees, the status bar, terminals and answers of tools. */

import * as l10n from "@vscode/l10n";
import {
  formatBounds,
  formatCount,
  formatMeasure,
  formatReward,
  plural,
} from "../../shared/format.ts";
import type { EvaluatedReward } from "../../shared/sweepResult.ts";
import { nearestTemperature } from "../../shared/trainedTemperature.ts";
import type { Trend } from "../../shared/trend.ts";
import { isSameCell } from "../config/rules/evaluationCells.ts";
import { cellName, type EvaluationEntry, type StoredResult } from "../runFolder/evaluationLog.ts";
import type { Fit } from "../runFolder/metrics/fitMetrics.ts";
import type { TrainingTemperatures } from "../runFolder/trainingTemperatures.ts";
import { groupBy } from "../util/groupBy.ts";

/** The mean reward on tasks that training never sees, in the newest evaluation. */
export interface HeldOutReward {
  /** Environment and split, where several are evaluated; null where there is one. */
  readonly name: string | null;
  /** In the first evaluation; null when it is the newest. */
  readonly was: number | null;
  readonly now: number;
  /** Bounds of the 95% confidence interval of `now`; null where there is none. */
  readonly low: number | null;
  readonly high: number | null;
}

export interface SentenceFacts {
  /** Of the mean reward of the steps; null without one. */
  readonly trend: Trend | null;
  /** Of each split that training never sees; empty without an evaluation. */
  readonly heldOut: readonly HeldOutReward[];
  /** Of a supervised run; absent or null for reinforcement learning. */
  readonly fit?: Fit | null;
}

/**
 * A sentence without a period: `Learning: 0.16 → 0.84 in 40 steps; held-out 0.14 → 0.84 [0.78, 0.90]`, or for a supervised run
 * `Loss: 2.84 → 0.51 in 30 steps, 0.50 on held-out examples; reward 0.14 → 0.84`. Null when nothing is known.
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
 * What the newest evaluation of the run's own weights found for each split, at the temperature of training or the nearest below it, else
 * at the lowest; empty without one.
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
 * Mean rewards of the run's own weights by evaluation: first at the temperature of training and those below it, the nearest first. Of
 * evaluations after the same step the last one counts.
 */
export function evaluatedRewards(
  evaluations: readonly EvaluationEntry[],
  trainedAt: TrainingTemperatures,
): readonly EvaluatedReward[] {
  const distance = ({ environment, temperature }: StoredResult): number => {
    const below = trainedAt(environment) - temperature;
    return below >= 0 ? below : 1_000 + temperature;
  };
  const found = new Map<string, { readonly from: number; readonly reward: EvaluatedReward }>();
  for (const { model, step, results } of evaluations) {
    if (model !== undefined) continue;
    for (const result of results.filter(({ split }) => split !== TRAINING_SPLIT)) {
      const reward = { cell: cellName(result), step, reward: result.rewardMean };
      found.set(`${step} ${reward.cell}`, { from: distance(result), reward });
    }
  }
  return [...found.values()].sort((a, b) => a.from - b.from).map(({ reward }) => reward);
}

/** As many as a sentence can hold. */
const MAX_SPLITS = 3;
/** A run may evaluate the tasks that it trains on, too. */
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
