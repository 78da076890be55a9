/** Evaluations on the reward chart: the series, their marks, and their legend entries. */

import * as l10n from "@vscode/l10n";
import { formatTemperature } from "../../../src/shared/format.ts";
import { nearestTemperature } from "../../../src/shared/trainedTemperature.ts";
import type { SeriesLook } from "../../charts/drawing/chartData.ts";
import type { ChartMark, EvaluationMark } from "../../charts/drawing/chartMarks.ts";
import { type XAxis, xAfterSteps } from "../../charts/xAxis.ts";
import type { RunData } from "../../model/runData.ts";
import { visibleLine } from "../../text/visible.ts";
import { environmentLook, environmentNames } from "./environmentSeries.ts";

/** The evaluations of one split of one environment, at the training temperature or the nearest one below it. */
export interface EvaluationSeries extends SeriesLook {
  readonly key: string;
  readonly label: string;
  /** Environment and split. */
  readonly name: string;
  readonly temperature: number;
  readonly points: readonly Pick<EvaluationMark, "y" | "low" | "high" | "cell">[];
}

/** Positions of a run's rows on the horizontal axis. */
export interface PlacedRows {
  readonly xAxis: XAxis;
  readonly xs: Float64Array;
  /** Counted from 0, one per row. */
  readonly steps: Float64Array;
}

const SHIFT_PX = 9;
/** The first look that is free in a run with one or two environments. */
const FREE_LOOK = 2;

/** Training temperature if the run does not say. */
const USUAL_TEMPERATURE = 1;

export function evaluationSeries({
  columns,
  evaluations,
  run,
}: RunData): readonly EvaluationSeries[] {
  const trained = environmentNames(columns);
  const results = evaluations.value.flatMap(({ step, model, results: all }) =>
    all.map((result) => ({
      ...result,
      model: model?.name,
      step,
      name: `${result.environment} ${result.split}`,
    })),
  );
  const names = [...new Set(results.map(({ name }) => name))];
  const taken = new Set<number>();
  return names.map((name, index) => {
    const own = results.filter((result) => result.name === name);
    const environment = own[0]?.environment ?? "";
    const temperature = nearestTemperature(
      own.map((result) => result.temperature),
      run.value?.trainedAt[environment] ?? USUAL_TEMPERATURE,
    );
    const line = trained.findIndex((short) => `/${environment}`.endsWith(`/${short}`));
    const free = environmentLook(Math.max(FREE_LOOK, trained.length) + index);
    // Further splits of an environment share its color and differ in dashes.
    const { dash } = line < 0 || taken.has(line) ? free : environmentLook(line);
    taken.add(line);
    const shown = visibleLine(name);
    const sampled = formatTemperature(temperature);
    return {
      key: names.length === 1 ? "evaluation" : `evaluation:${name}`,
      label:
        names.length === 1
          ? l10n.t("evaluation, {0}, 95% confidence interval", sampled)
          : l10n.t("evaluation of {0}, {1}, 95% confidence interval", shown, sampled),
      name: shown,
      temperature,
      look: "symbol",
      symbol: index,
      color: line < 0 ? free.color : environmentLook(line).color,
      dash,
      points: own
        .filter((result) => result.temperature === temperature)
        .map((cell) => {
          const { rewardMean: y, low, high } = cell;
          return { y, low: low ?? y, high: high ?? y, cell };
        }),
    };
  });
}

/** `steps` holds the step of each row, counted from 0. */
export function evaluationEntry(
  { key, label, look, color, symbol = 0, points }: EvaluationSeries,
  steps: Float64Array,
) {
  // A map, because runs have thousands of steps and hundreds of evaluations. The last evaluation of a step wins.
  const after = new Map(points.map(({ cell, y }) => [cell.step, y]));
  const values = steps.map((step) => after.get(step + 1) ?? Number.NaN);
  return { key, label, look, color, symbol, values, line: null, latest: points.at(-1)?.y };
}

export function evaluationMarks(
  { xAxis, xs, steps }: PlacedRows,
  series: readonly EvaluationSeries[],
): readonly ChartMark[] {
  const at = (step: number): number =>
    (xAxis === "step" ? step : xAfterSteps(step, steps, xs)) ??
    (xAxis === "wall" ? (xs[0] ?? 0) : 0);
  return series.flatMap(({ color, symbol = 0, points }, index) =>
    points.map((point): ChartMark => {
      const shift = index * SHIFT_PX;
      return { kind: "evaluation", x: at(point.cell.step), ...point, color, symbol, shift };
    }),
  );
}
