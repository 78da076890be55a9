/** What an evaluation measures apart from each other, and how metrics name it. */

import type { EvaluationConfig } from "../fields/schema.ts";

/** One environment, split and temperature. */
export interface EvaluationCell {
  readonly environment: string;
  readonly split: string;
  /** 0 = greedy. */
  readonly temperature: number;
}

/** Measures by which one evaluation can be better than another: more is better. */
export const BEST_MEASURES = ["reward_mean", "success_frac"] as const;
export type BestMeasure = (typeof BEST_MEASURES)[number];

/** Environment, split and temperature of everything the configuration evaluates, in its order. */
export function evaluationCells(config: EvaluationConfig): readonly EvaluationCell[] {
  return Object.entries(config.splits).flatMap(([environment, splits]) =>
    splits.flatMap((split) =>
      config.temperatures.map((temperature) => ({ environment, split, temperature })),
    ),
  );
}

/** How often each task of a cell is played. Greedy rollouts of a task are equal, so one of them is enough. */
export function rolloutsPerTask(
  { rollouts_per_task: rollouts }: EvaluationConfig,
  { temperature }: EvaluationCell,
): number {
  return temperature === 0 ? 1 : rollouts;
}

export function isSameCell(a: EvaluationCell, b: EvaluationCell): boolean {
  return a.environment === b.environment && a.split === b.split && a.temperature === b.temperature;
}

/** How a temperature is called in metrics and on screens. */
export function temperatureName(temperature: number): string {
  return temperature === 0 ? "greedy" : `temperature_${temperature}`;
}

/** The metric of a measure, such as `eval/local/calculator/test/greedy/reward_mean`. */
export function bestMetricName(cell: EvaluationCell, measure: BestMeasure): string {
  const { environment, split, temperature } = cell;
  return `eval/${environment}/${split}/${temperatureName(temperature)}/${measure}`;
}

/** All that `save_best` can name. */
export function bestMetricNames(config: EvaluationConfig): readonly string[] {
  return BEST_MEASURES.flatMap((measure) =>
    evaluationCells(config).map((cell) => bestMetricName(cell, measure)),
  );
}
