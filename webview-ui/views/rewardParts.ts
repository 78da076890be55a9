/** What the reward chart is made of: series, bands, marks, and their names in the legend. */

import { useEffect, useState } from "preact/hooks";
import type { Range } from "../charts/scale.ts";
import { smooth } from "../charts/smoothing.ts";
import { xAfterSteps, xValues } from "../charts/xAxis.ts";
import type { ChartMark } from "../controls/chartMarks.ts";
import type { ChartBand, ChartSeries } from "../controls/lineChart.ts";
import type { ColourName } from "../controls/palette.ts";
import type { PanelModel } from "../panelModel.ts";
import { strings } from "../strings.ts";
import { visibleLine } from "../text/visible.ts";

const MEAN = "rollout/reward/mean";
/** For environments of a run with several: colour and dashes differ. */
const ENVIRONMENT_LOOKS: readonly {
  readonly colour: ColourName;
  readonly dash: readonly number[];
}[] = [
  { colour: "green", dash: [6, 3] },
  { colour: "purple", dash: [2, 3] },
  { colour: "orange", dash: [8, 3, 2, 3] },
  { colour: "yellow", dash: [3, 3] },
  { colour: "red", dash: [10, 4] },
];

export interface LegendEntry {
  readonly key: string;
  readonly label: string;
  readonly colour: ColourName;
  readonly look: "line" | "faint" | "dashed" | "band" | "outer-band" | "diamond";
  /** Null for bands. */
  readonly values: Float64Array | null;
  readonly dash?: readonly number[];
}

export interface RewardParts {
  readonly xs: Float64Array;
  /** Counted from 0, one a row. */
  readonly steps: Float64Array;
  readonly mean: Float64Array;
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
export function useSuperseded(panel: PanelModel, attempt: number | null): Superseded {
  const [superseded, set] = useState<Superseded>(null);
  useEffect(() => {
    set(null);
    if (attempt === null) return;
    return panel.host.ask({ ask: "superseded", attempt, names: [MEAN] }, (answer) => {
      if (answer.kind !== "superseded") return;
      const values = answer.columns[0]?.values ?? new Float64Array();
      const rewards = new Map(
        Array.from(answer.steps, (step, row) => [step, values[row] ?? Number.NaN]),
      );
      set({ attempt, rewards });
    });
  }, [panel, attempt]);
  return superseded;
}

export function rewardParts(panel: PanelModel, superseded: Superseded): RewardParts {
  const { columns, events, view } = panel;
  const { smoothing, xAxis, hiddenSeries } = view.value;
  const isHidden = (key: string): boolean => hiddenSeries.includes(key);
  const raw = columns.values(MEAN);
  const mean = smooth(raw, smoothing);
  const std = smooth(columns.values("rollout/reward/std"), smoothing);
  const edge = (name: string): Float64Array => smooth(columns.values(name), smoothing);
  const isSmoothed = smoothing.kind !== "none";
  const legend: LegendEntry[] = [
    { key: "mean", label: strings.reward.mean, colour: "blue", look: "line", values: mean },
    ...(isSmoothed
      ? [
          {
            key: "raw",
            label: strings.reward.raw,
            colour: "blue",
            look: "faint",
            values: raw,
          } as const,
        ]
      : []),
    { key: "std", label: strings.reward.std, colour: "blue", look: "band", values: null },
    { key: "range", label: strings.reward.range, colour: "blue", look: "outer-band", values: null },
    ...environmentEntries(panel),
    ...supersededEntry(superseded, columns.steps()),
  ];
  const series: ChartSeries[] = [];
  const bands: ChartBand[] = [];
  const addBand = (key: string, upper: Float64Array, lower: Float64Array, share: number): void => {
    if (isHidden(key)) return;
    const names = { upper: `${key}-upper`, lower: `${key}-lower` };
    series.push(bandEdge(names.upper, upper), bandEdge(names.lower, lower));
    bands.push({ ...names, colour: "blue", share });
  };
  const highest = edge("rollout/reward/max");
  const lowest = edge("rollout/reward/min");
  addBand("range", highest, lowest, 0.15);
  // A reward that never occurred is not shaded, even where the deviation would reach it.
  const upper = within(combine(mean, std, 1), highest, Math.min);
  addBand("std", upper, within(combine(mean, std, -1), lowest, Math.max), 0.24);
  for (const entry of legend) {
    if (entry.values !== null && !isHidden(entry.key))
      series.push(lineOf(entry, entry.values, smoothing));
  }
  // The first series decides what is drawn of a very long run: the mean, not the edge of a band.
  series.sort((a, b) => Number(b.key === "raw") - Number(a.key === "raw"));
  const xs = xValues(xAxis, columns, events.value);
  const marks = marksOf(panel, xs).filter(({ kind }) => !isHidden(kind));
  return {
    ...{ xs, mean, series, bands, marks },
    steps: columns.steps(),
    legend: evaluationsOf(panel).length === 0 ? legend : [...legend, EVALUATION_ENTRY],
    names: [
      { head: "reward mean", name: MEAN },
      { head: "std", name: "rollout/reward/std" },
      { head: "min", name: "rollout/reward/min" },
      { head: "max", name: "rollout/reward/max" },
      ...environmentNames(panel).map((name) => ({
        head: name,
        name: `rollout/env/${name}/reward/mean`,
      })),
    ],
  };
}

const EVALUATION_ENTRY: LegendEntry = {
  ...{ key: "evaluation", label: strings.reward.evaluation },
  ...{ colour: "purple", look: "diamond", values: null },
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
  entry: LegendEntry,
  values: Float64Array,
  smoothing: Parameters<typeof smooth>[1],
): ChartSeries {
  const { key, label, colour, look, dash } = entry;
  const environment = key.startsWith("env:");
  return {
    ...{ key, label, colour },
    values: environment ? smooth(values, smoothing) : values,
    share: look === "faint" ? 0.4 : 1,
    width: look === "line" ? 2 : 1.25,
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
function environmentNames({ columns }: PanelModel): readonly string[] {
  const names = columns.names.flatMap((name) => {
    const found = /^rollout\/env\/(.+)\/reward\/mean$/.exec(name)?.[1];
    return found === undefined ? [] : [found];
  });
  return names.length < 2 ? [] : names;
}

function environmentEntries(panel: PanelModel): readonly LegendEntry[] {
  return environmentNames(panel).map((name, index) => ({
    key: `env:${index}`,
    label: visibleLine(name),
    ...(ENVIRONMENT_LOOKS[index % ENVIRONMENT_LOOKS.length] ?? { colour: "green", dash: [6, 3] }),
    look: "dashed",
    values: panel.columns.values(`rollout/env/${name}/reward/mean`),
  }));
}

function supersededEntry(superseded: Superseded, steps: Float64Array): readonly LegendEntry[] {
  if (superseded === null) return [];
  const values = steps.map((step) => superseded.rewards.get(step) ?? Number.NaN);
  const label = strings.reward.attempt(superseded.attempt);
  return [{ key: "attempt", label, colour: "yellow", look: "dashed", dash: [4, 3], values }];
}

function marksOf(panel: PanelModel, xs: Float64Array): readonly ChartMark[] {
  const { columns, checkpoints, events, view } = panel;
  const steps = columns.steps();
  const skipped = columns.values("skipped");
  const at = (completed: number): number | null =>
    view.value.xAxis === "step" ? completed : xAfterSteps(completed, steps, xs);
  const lines = (
    kind: "checkpoint" | "resume" | "alarm",
    completed: readonly number[],
  ): ChartMark[] =>
    [...new Set(completed)].flatMap((count) => {
      const x = count === 0 ? null : at(count);
      return x === null ? [] : [{ kind, x }];
    });
  const kept = checkpoints.value.filter(({ kind }) => kind !== "rolling");
  const resumes = events.value.filter(({ kind, attempt }) => kind === "run-started" && attempt > 1);
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
    ...lines(
      "alarm",
      alarms.map(({ step }) => (step ?? 0) + 1),
    ),
    ...Array.from(xs).flatMap((x, row): ChartMark[] =>
      skipped[row] === 1 ? [{ kind: "skipped", x }] : [],
    ),
    ...evaluationsOf(panel).map(({ step, y, low, high }): ChartMark => {
      const x = at(step) ?? (view.value.xAxis === "wall" ? (xs[0] ?? 0) : 0);
      return { kind: "evaluation", x, y, low, high };
    }),
  ];
}

/** Evaluations that sample as training does, or as near to it as the run evaluates; one mark each. */
function evaluationsOf({ evaluations }: PanelModel) {
  return evaluations.value.flatMap(({ step, results }) => {
    const warmest = [...results].sort((a, b) => b.temperature - a.temperature)[0];
    if (warmest === undefined) return [];
    const { rewardMean, low, high } = warmest;
    return [{ step, y: rewardMean, low, high }];
  });
}
