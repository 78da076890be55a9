/** The cells that an evaluation measures separately, and how metrics name them. */

import type { EvaluationConfig } from "../fields/schema.ts";

/** One environment, split and temperature. */
export interface EvaluationCell {
  readonly environment: string;
  readonly split: string;
  /** 0 is greedy. */
  readonly temperature: number;
}

/** Measures by which `save_best` compares evaluations; higher is better. */
export const BEST_MEASURES = ["reward_mean", "success_frac"] as const;
export type BestMeasure = (typeof BEST_MEASURES)[number];

/** All combinations of environment, split and temperature to evaluate, each once, in configuration order. */
export function evaluationCells(config: EvaluationConfig): readonly EvaluationCell[] {
  const temperatures = [...new Set(config.temperatures)];
  return Object.entries(config.splits).flatMap(([environment, splits]) =>
    [...new Set(splits)].flatMap((split) =>
      temperatures.map((temperature) => ({ environment, split, temperature })),
    ),
  );
}

/** Rollouts per task in a cell. Greedy rollouts of a task are identical, so one is enough. */
export function rolloutsPerTask(
  { rollouts_per_task: rollouts }: EvaluationConfig,
  { temperature }: EvaluationCell,
): number {
  return temperature === 0 ? 1 : rollouts;
}

export function isSameCell(a: EvaluationCell, b: EvaluationCell): boolean {
  return a.environment === b.environment && a.split === b.split && a.temperature === b.temperature;
}

/** Name of a temperature in metrics and on screen. */
export function temperatureName(temperature: number): string {
  return temperature === 0 ? "greedy" : `temperature_${temperature}`;
}

/** Full metric name, such as `eval/local/calculator/test/greedy/reward_mean`. */
export function bestMetricName(cell: EvaluationCell, measure: BestMeasure): string {
  const { environment, split, temperature } = cell;
  return `eval/${environment}/${split}/${temperatureName(temperature)}/${measure}`;
}

/** All metrics that `save_best` can name. */
export function bestMetricNames(config: EvaluationConfig): readonly string[] {
  return BEST_MEASURES.flatMap((measure) =>
    evaluationCells(config).map((cell) => bestMetricName(cell, measure)),
  );
}
