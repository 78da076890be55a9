/** What the reward chart is made of: series, bands, marks, and their names in the legend. */

import { useEffect, useState } from "preact/hooks";
import type { Range } from "../charts/scale.ts";
import { smooth } from "../charts/smoothing.ts";
import { xAfterSteps, xValues } from "../charts/xAxis.ts";
import type { ChartBand, ChartSeries } from "../controls/chartData.ts";
import type { ChartMark, EvaluationMark, LineMark } from "../controls/chartMarks.ts";
import type { ColourName } from "../controls/palette.ts";
import type { SeriesLook } from "../controls/seriesLook.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";

const MEAN = "rollout/reward/mean";
/** Of environments of a run with several; blue is the mean of all. */
const COLOURS: readonly ColourName[] = ["orange", "green", "purple", "yellow", "red"];
/** As many as can be told apart, whatever the colours. */
const DASHES: readonly (readonly number[])[] = [
  ...[
    [6, 3],
    [2, 3],
    [9, 3, 2, 3],
    [14, 4],
  ],
  ...[
    [4, 6],
    [9, 3, 2, 3, 2, 3],
    [1, 6],
    [14, 4, 4, 4],
  ],
];

/** The line of the environment at this place: the first eight differ in their dashes, the first forty in dashes or colour. */
export function environmentLook(index: number): {
  readonly colour: ColourName;
  readonly dash: readonly number[];
} {
  return {
    colour: COLOURS[index % COLOURS.length] ?? "orange",
    dash: DASHES[index % DASHES.length] ?? [6, 3],
  };
}

export interface LegendEntry extends SeriesLook {
  readonly key: string;
  readonly label: string;
  /** The numbers of the run; null for what has none for a row. */
  readonly values: Float64Array | null;
  /** What is drawn; null for bands and signs. */
  readonly line: Float64Array | null;
  /** What is said whatever row is looked at. */
  readonly latest?: number;
}

export interface RewardChartData {
  readonly xs: Float64Array;
  /** Counted from 0, one a row. */
  readonly steps: Float64Array;
  /** As the run wrote it. */
  readonly mean: Float64Array;
  /** As it is drawn; null when it is drawn as it is. */
  readonly smoothed: Float64Array | null;
  readonly series: readonly ChartSeries[];
  readonly bands: readonly ChartBand[];
  readonly marks: readonly ChartMark[];
  readonly legend: readonly LegendEntry[];
  /** Columns of tables and exports. */
  readonly names: readonly { readonly head: string; readonly name: string }[];
}

/** The mean reward of the repeated steps of an attempt, by step. */
export type Superseded = {
  readonly attempt: number;
  readonly rewards: ReadonlyMap<number, number>;
} | null;

/** Asks for the repeated steps of an attempt; null until they come. */
export function useSuperseded(dashboard: DashboardModel, attempt: number | null): Superseded {
  const [superseded, set] = useState<Superseded>(null);
  useEffect(() => {
    set(null);
    if (attempt === null) return;
    return dashboard.host.ask({ ask: "superseded", attempt, names: [MEAN] }, (answer) => {
      if (answer.kind !== "superseded") return;
      const values = answer.columns[0]?.values ?? new Float64Array();
      const rewards = new Map(
        Array.from(answer.steps, (step, row) => [step, values[row] ?? Number.NaN]),
      );
      set({ attempt, rewards });
    });
  }, [dashboard, attempt]);
  return superseded;
}

export function rewardChartData(
  dashboard: DashboardModel,
  superseded: Superseded,
): RewardChartData {
  const { columns, events, view } = dashboard;
  const { smoothing, xAxis, hiddenSeries } = view.value;
  const isHidden = (key: string): boolean => hiddenSeries.includes(key);
  const raw = columns.values(MEAN);
  const mean = smooth(raw, smoothing);
  const std = columns.values("rollout/reward/std");
  const isSmoothed = smoothing.kind !== "none";
  const evaluations = evaluationSeries(dashboard);
  const legend: LegendEntry[] = [
    { key: "mean", label: text.mean, colour: "blue", look: "line", values: raw, line: mean },
    ...(isSmoothed ? [{ ...RAW_ENTRY, line: raw }] : []),
    { ...BAND, key: "std", label: text.std, look: "band" },
    { ...BAND, key: "range", label: text.range, look: "outer-band" },
    ...environmentEntries(dashboard),
    ...supersededEntry(superseded, columns.steps()),
    ...evaluations.map(evaluationEntry),
  ];
  const series: ChartSeries[] = [];
  const bands: ChartBand[] = [];
  const addBand = (key: string, upper: Float64Array, lower: Float64Array, share: number): void => {
    if (isHidden(key)) return;
    const names = { upper: `${key}-upper`, lower: `${key}-lower` };
    series.push(bandEdge(names.upper, upper), bandEdge(names.lower, lower));
    bands.push({ ...names, colour: "blue", share });
  };
  // Only lines are smoothed: a smoothed edge would shade rewards that never occurred.
  const highest = columns.values("rollout/reward/max");
  const lowest = columns.values("rollout/reward/min");
  addBand("range", highest, lowest, 0.15);
  const upper = within(combine(raw, std, 1), highest, Math.min);
  addBand("std", upper, within(combine(raw, std, -1), lowest, Math.max), 0.24);
  for (const entry of legend) {
    if (entry.line !== null && !isHidden(entry.key)) series.push(lineOf(entry, entry.line));
  }
  // The first series decides what is drawn of a very long run: the mean, not the edge of a band.
  series.sort((a, b) => Number(b.key === "raw") - Number(a.key === "raw"));
  const xs = xValues(xAxis, columns, events.value);
  const shown = evaluations.filter(({ key }) => !isHidden(key));
  const marks = [...marksOf(dashboard, xs), ...evaluationMarks(dashboard, xs, shown)];
  return {
    ...{ xs, series, bands, marks, legend },
    mean: raw,
    smoothed: isSmoothed ? mean : null,
    steps: columns.steps(),
    names: [
      { head: "reward mean", name: MEAN },
      { head: "std", name: "rollout/reward/std" },
      { head: "min", name: "rollout/reward/min" },
      { head: "max", name: "rollout/reward/max" },
      ...environmentNames(dashboard).map((name) => ({
        head: name,
        name: `rollout/env/${name}/reward/mean`,
      })),
    ],
  };
}

const text = strings.reward;
const BAND = { colour: "blue", values: null, line: null } as const;
const RAW_ENTRY = {
  ...{ key: "raw", label: text.raw, values: null },
  ...({ colour: "blue", look: "faint" } as const),
};

/** All of the axis, with marks before the first step. */
export function shownX(xs: Float64Array, marks: readonly ChartMark[]): Range {
  if (xs.length === 0) return [0, 1];
  const all = [xs[0] ?? 0, xs.at(-1) ?? 1, ...marks.map(({ x }) => x)];
  const low = Math.min(...all);
  const high = Math.max(...all);
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

function lineOf(
  { key, label, colour, look, dash }: LegendEntry,
  values: Float64Array,
): ChartSeries {
  return {
    ...{ key, label, colour, values },
    share: look === "faint" ? 0.45 : 1,
    width: look === "faint" ? 1 : dash === undefined ? 2 : 1.5,
    ...(dash === undefined ? {} : { dash }),
  };
}

function bandEdge(key: string, values: Float64Array): ChartSeries {
  return { key, label: key, values, colour: "blue", share: 0, width: 0 };
}

function combine(mean: Float64Array, std: Float64Array, sign: 1 | -1): Float64Array {
  return mean.map((value, row) => value + sign * (std[row] ?? Number.NaN));
}

/** Where the bound is not known, the value stands as it is. */
function within(
  values: Float64Array,
  bounds: Float64Array,
  nearer: (value: number, bound: number) => number,
): Float64Array {
  return values.map((value, row) => {
    const bound = bounds[row] ?? Number.NaN;
    return Number.isNaN(bound) ? value : nearer(value, bound);
  });
}

/** Short names, as in the metrics; none for a run with one environment. */
function environmentNames({ columns }: DashboardModel): readonly string[] {
  const names = columns.names.flatMap((name) => {
    const found = /^rollout\/env\/(.+)\/reward\/mean$/.exec(name)?.[1];
    return found === undefined ? [] : [found];
  });
  return names.length < 2 ? [] : names;
}

function environmentEntries(dashboard: DashboardModel): readonly LegendEntry[] {
  const { smoothing } = dashboard.view.value;
  return environmentNames(dashboard).map((name, index) => {
    const values = dashboard.columns.values(`rollout/env/${name}/reward/mean`);
    const line = smooth(values, smoothing);
    const label = visibleLine(name);
    return { key: `env:${index}`, label, ...environmentLook(index), look: "line", values, line };
  });
}

function supersededEntry(superseded: Superseded, steps: Float64Array): readonly LegendEntry[] {
  if (superseded === null) return [];
  const values = steps.map((step) => superseded.rewards.get(step) ?? Number.NaN);
  const label = text.attempt(superseded.attempt);
  const look = { colour: "yellow", look: "line", dash: [4, 2, 1, 2] } as const;
  return [{ key: "attempt", label, ...look, values, line: values }];
}

function marksOf(dashboard: DashboardModel, xs: Float64Array): readonly ChartMark[] {
  const { columns, checkpoints, events, view } = dashboard;
  const steps = columns.steps();
  const skipped = columns.values("skipped");
  const at = (completed: number): number | null =>
    view.value.xAxis === "step" ? completed : xAfterSteps(completed, steps, xs);
  const lines = (kind: LineMark, completed: readonly number[]): ChartMark[] =>
    [...new Set(completed)].flatMap((count) => {
      const x = count === 0 ? null : at(count);
      return x === null ? [] : [{ kind, x }];
    });
  const kept = checkpoints.value.filter(({ kind }) => kind !== "rolling");
  const resumes = events.value.filter(({ kind, attempt }) => kind === "run-started" && attempt > 1);
  const stepsOf = (own: string): readonly number[] =>
    events.value.flatMap(({ kind, step }) => (kind === own && step !== null ? [step] : []));
  const alarms = events.value.filter(({ kind, level }) => kind === "alarm" && level !== "info");
  return [
    ...lines(
      "checkpoint",
      kept.map(({ step }) => step),
    ),
    ...lines(
      "resume",
      resumes.map(({ step }) => step ?? 0),
    ),
    ...lines("settings", stepsOf("run-retuned")),
    ...lines("pause", [...stepsOf("run-paused"), ...stepsOf("capacity-paused")]),
    ...lines(
      "alarm",
      alarms.map(({ step }) => (step ?? 0) + 1),
    ),
    ...Array.from(xs).flatMap((x, row): ChartMark[] =>
      skipped[row] === 1 ? [{ kind: "skipped", x }] : [],
    ),
  ];
}

/** What was evaluated on one split of one environment, sampled as training does or as near to it as the run evaluates. */
interface EvaluationSeries extends SeriesLook {
  readonly key: string;
  readonly label: string;
  readonly points: readonly Pick<EvaluationMark, "y" | "low" | "high" | "cell">[];
}

const SHIFT_PX = 9;

function evaluationSeries(dashboard: DashboardModel): readonly EvaluationSeries[] {
  const trained = environmentNames(dashboard);
  const results = dashboard.evaluations.value.flatMap(({ step, results: all }) =>
    all.map((result) => ({ step, ...result, place: `${result.environment} ${result.split}` })),
  );
  const places = [...new Set(results.map(({ place }) => place))];
  return places.map((place, index) => {
    const own = results.filter((result) => result.place === place);
    const warmest = Math.max(...own.map(({ temperature }) => temperature));
    const environment = own[0]?.environment ?? "";
    const line = trained.findIndex((name) => `/${environment}`.endsWith(`/${name}`));
    return {
      key: places.length === 1 ? "evaluation" : `evaluation:${place}`,
      label: places.length === 1 ? text.evaluation : text.evaluationOf(visibleLine(place)),
      ...{ look: "sign", sign: index },
      colour: line < 0 ? "purple" : environmentLook(line).colour,
      points: own
        .filter(({ temperature }) => temperature === warmest)
        .map((cell) => ({ y: cell.rewardMean, low: cell.low, high: cell.high, cell })),
    };
  });
}

function evaluationEntry({ key, label, look, colour, sign = 0, points }: EvaluationSeries) {
  const latest = points.at(-1)?.y;
  const value = latest === undefined ? {} : { latest };
  return { key, label, look, colour, sign, values: null, line: null, ...value };
}

function evaluationMarks(
  dashboard: DashboardModel,
  xs: Float64Array,
  series: readonly EvaluationSeries[],
): readonly ChartMark[] {
  const { columns, view } = dashboard;
  const { xAxis } = view.value;
  const steps = columns.steps();
  const at = (step: number): number =>
    (xAxis === "step" ? step : xAfterSteps(step, steps, xs)) ??
    (xAxis === "wall" ? (xs[0] ?? 0) : 0);
  return series.flatMap(({ colour, sign = 0, points }, index) =>
    points.map((point): ChartMark => {
      const shift = index * SHIFT_PX;
      return { kind: "evaluation", x: at(point.cell.step), ...point, colour, sign, shift };
    }),
  );
}
