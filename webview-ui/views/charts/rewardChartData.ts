/** Data of the reward chart: series, bands, marks, and their legend entries. */

import * as l10n from "@vscode/l10n";
import { decidingPointOf, type TrendPoint } from "../../../src/shared/trendPoint.ts";
import { joined, type PartColumns } from "../../changes/rewardParts.ts";
import type { ColumnStore } from "../../charts/columns.ts";
import {
  bandBetween,
  type ChartBand,
  type ChartSeries,
  type DrawnBand,
  type SeriesLook,
} from "../../charts/drawing/chartData.ts";
import type { ChartMark, LineMark } from "../../charts/drawing/chartMarks.ts";
import type { ColorName } from "../../charts/drawing/palette.ts";
import { smooth, smoothingOf } from "../../charts/smoothing.ts";
import { shownAxis, xAfterSteps, xValues } from "../../charts/xAxis.ts";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import type { RunData } from "../../model/runData.ts";
import { strings } from "../../strings/strings.ts";
import { visibleLine } from "../../text/visible.ts";
import { environmentLook, environmentNames } from "./environmentSeries.ts";
import {
  evaluationEntry,
  evaluationMarks,
  evaluationSeries,
  type PlacedRows,
} from "./evaluationSeries.ts";
import { MEAN_REWARD } from "./smallChartSpecs.ts";

const REWARD = "rollout/reward";
const text = strings.reward;

/** Mean rewards of an attempt's repeated steps, by step. */
export type SupersededRewards = {
  readonly attempt: number;
  readonly rewards: ReadonlyMap<number, number>;
} | null;

/** Inputs of the chart. */
export type RewardChartSource = Pick<DashboardModel, "data" | "view">;

export interface LegendEntry extends SeriesLook {
  readonly key: string;
  readonly label: string;
  /** Recorded values, one per row; null for bands. */
  readonly values: Float64Array | null;
  /** The drawn line; null for bands and symbols. */
  readonly line: Float64Array | null;
  /** Number of rollouts behind each value. */
  readonly counts?: Float64Array;
  /** Shown while no row is under the cursor; absent = the last value. */
  readonly latest?: number | undefined;
}

export interface RewardChartData extends PlacedRows {
  /** Recorded values. */
  readonly mean: Float64Array;
  /** Number of rollouts behind each value. */
  readonly counts: Float64Array;
  /** Points of its trend. */
  readonly points: readonly TrendPoint[];
  /** The drawn values; null if they are not smoothed. */
  readonly smoothed: Float64Array | null;
  readonly series: readonly ChartSeries[];
  readonly bands: readonly ChartBand[];
  readonly marks: readonly ChartMark[];
  readonly legend: readonly LegendEntry[];
  /** There is nothing to draw, hidden or not; an evaluation before the first step is drawn. */
  readonly isEmpty: boolean;
  readonly parts: readonly PartColumns[];
  /** Columns of tables and exports. */
  readonly names: readonly { readonly head: string; readonly name: string }[];
}

export function rewardChartData(
  source: RewardChartSource,
  superseded: SupersededRewards,
  parts: readonly PartColumns[] = [],
): RewardChartData {
  const { columns, events } = source.data;
  const { xAxis: chosen, hiddenSeries } = source.view.value;
  const isShown = ({ key }: { readonly key: string }): boolean => !hiddenSeries.includes(key);
  const raw = columns.values(MEAN_REWARD);
  const smoothing = smoothingOf(source.view.value.smoothing, raw.length);
  const mean = smooth(raw, smoothing);
  const isSmoothed = smoothing.kind !== "none";
  const evaluations = evaluationSeries(source.data);
  const curves =
    parts.length > 0 ? partEntries(parts, smoothing) : environmentEntries(columns, smoothing);
  const legend: readonly LegendEntry[] = [
    { key: "mean", label: text.mean, color: "blue", look: "line", values: raw, line: mean },
    ...(isSmoothed ? [{ ...RAW_ENTRY, line: raw }] : []),
    ...BANDS.filter(({ column }) => columns.values(column).some(Number.isFinite)),
    ...curves,
    ...supersededEntry(superseded, columns.steps()),
    ...evaluations.map((own) => evaluationEntry(own, columns.steps())),
  ];
  const shownBands = [...bandsOf(columns, raw), ...partBands(parts)].filter(isShown);
  const named = curves.length === 0 ? [] : ["mean", ...curves.map(({ key }) => key)];
  const lines = legend.filter(isShown).flatMap((entry) => {
    const endLabel = named.includes(entry.key) ? entry.label : undefined;
    return entry.line === null ? [] : [{ ...lineOf(entry, entry.line), endLabel }];
  });
  // The first series decides how very long runs are downsampled: the mean, not the edge of a band.
  const series = [...shownBands.flatMap(({ edges }) => edges), ...lines].sort(
    (a, b) => Number(b.key === "raw") - Number(a.key === "raw"),
  );
  const xAxis = shownAxis(chosen, columns, events.value);
  const xs = xValues(xAxis, columns, events.value);
  const rows = { xAxis, xs, steps: columns.steps() };
  const marks = lineMarks(source.data, rows);
  return {
    ...rows,
    series,
    bands: shownBands.map(({ band }) => band),
    marks: [...marks, ...evaluationMarks(rows, evaluations.filter(isShown))],
    legend,
    isEmpty: rows.steps.length + marks.length + evaluations.length === 0,
    mean: raw,
    parts,
    counts: columns.values("rollout/reward/count"),
    points: Array.from(columns.steps(), (step, row) =>
      decidingPointOf(step, (name) => columns.at(name, row)),
    ).flatMap((point) => point ?? []),
    smoothed: isSmoothed ? mean : null,
    names: columnNames(columns),
  };
}

const BAND = { color: "blue", values: null, line: null } as const;
/** Each with the column that it requires. */
const BANDS = [
  {
    ...BAND,
    key: "interval",
    label: l10n.t("95% confidence interval of the mean"),
    look: "band",
    column: `${REWARD}/ci_low`,
  },
  {
    ...BAND,
    key: "tasks",
    label: l10n.t("± standard deviation of tasks"),
    look: "outer-band",
    column: `${REWARD}/group_std`,
  },
  {
    ...BAND,
    key: "range",
    label: l10n.t("lowest to highest"),
    look: "outer-band",
    column: `${REWARD}/min`,
  },
] as const;
const RAW_ENTRY = {
  key: "raw",
  label: l10n.t("raw"),
  values: null,
  color: "blue",
  look: "faint",
} as const;

function columnNames(columns: ColumnStore): RewardChartData["names"] {
  return [
    { head: "reward mean", name: MEAN_REWARD },
    { head: "95% low", name: "rollout/reward/ci_low" },
    { head: "95% high", name: "rollout/reward/ci_high" },
    { head: "std of tasks", name: "rollout/reward/group_std" },
    { head: "rollouts", name: "rollout/reward/count" },
    { head: "std", name: "rollout/reward/std" },
    { head: "min", name: "rollout/reward/min" },
    { head: "max", name: "rollout/reward/max" },
    ...environmentNames(columns).map((name) => ({
      head: name,
      name: `rollout/env/${name}/reward/mean`,
    })),
  ];
}

type NamedBand = DrawnBand & { readonly key: string };

/** Not smoothed, because a smoothed edge would shade rewards that never occurred. */
function bandsOf(columns: ColumnStore, mean: Float64Array): readonly NamedBand[] {
  const column = (name: string): Float64Array => columns.values(`${REWARD}/${name}`);
  const highest = column("max");
  const lowest = column("min");
  const std = column("group_std");
  // Clamped to the rewards of the step, which a standard deviation may exceed.
  const above = within(combine(mean, std, 1), highest, Math.min);
  const below = within(combine(mean, std, -1), lowest, Math.max);
  return [
    bandOf("range", highest, lowest, 0.1),
    bandOf("tasks", above, below, 0.15),
    bandOf("interval", column("ci_high"), column("ci_low"), 0.24),
  ];
}

function bandOf(
  key: string,
  high: Float64Array,
  low: Float64Array,
  share: number,
  color: ColorName = "blue",
): NamedBand {
  return { key, ...bandBetween(key, { high, low }, { color, share }) };
}

function lineOf({ key, label, color, look, dash }: LegendEntry, values: Float64Array): ChartSeries {
  return {
    key,
    label,
    color,
    values,
    share: look === "faint" ? 0.45 : 1,
    width: look === "faint" ? 1 : dash === undefined ? 2 : 1.5,
    dash,
  };
}

function combine(mean: Float64Array, std: Float64Array, sign: 1 | -1): Float64Array {
  return mean.map((value, row) => value + sign * (std[row] ?? Number.NaN));
}

/** Leaves a value unchanged if its bound is unknown. */
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

type Applied = ReturnType<typeof smoothingOf>;

function environmentEntries(columns: ColumnStore, smoothing: Applied): readonly LegendEntry[] {
  return environmentNames(columns).map((name, index) => {
    const values = columns.values(`rollout/env/${name}/reward/mean`);
    const line = smooth(values, smoothing);
    const label = visibleLine(name);
    return { key: `env:${index}`, label, ...environmentLook(index), look: "line", values, line };
  });
}

function partEntries(parts: readonly PartColumns[], smoothing: Applied): readonly LegendEntry[] {
  return parts.map(({ label, mean, rollouts }, index) => ({
    key: partKey(index),
    label,
    ...environmentLook(index),
    look: "line",
    values: mean,
    line: joined(smooth(mean, smoothing), rollouts),
    counts: rollouts,
  }));
}

function partBands(parts: readonly PartColumns[]): readonly NamedBand[] {
  return parts.map(({ low, high, rollouts }, index) => {
    const [upper, lower] = [joined(high, rollouts), joined(low, rollouts)];
    return bandOf(partKey(index), upper, lower, 0.12, environmentLook(index).color);
  });
}

function partKey(index: number): string {
  return `part:${index}`;
}

function supersededEntry(
  superseded: SupersededRewards,
  steps: Float64Array,
): readonly LegendEntry[] {
  if (superseded === null) return [];
  const values = steps.map((step) => superseded.rewards.get(step) ?? Number.NaN);
  const label = l10n.t("repeated after attempt {0}", superseded.attempt);
  const look = { color: "yellow", look: "line", dash: [4, 2, 1, 2] } as const;
  return [{ key: "attempt", label, ...look, values, line: values }];
}

function lineMarks(
  { columns, checkpoints, events }: RunData,
  { xAxis, xs, steps }: PlacedRows,
): readonly ChartMark[] {
  const skipped = columns.values("skipped");
  const at = (completed: number): number | null =>
    xAxis === "step" ? completed : xAfterSteps(completed, steps, xs);
  const lines = (kind: LineMark, completed: readonly number[]): ChartMark[] =>
    [...new Set(completed)].flatMap((count) => {
      const x = count === 0 ? null : at(count);
      return x === null ? [] : [{ kind, x }];
    });
  const saves = checkpoints.value.filter(({ kind }) => kind !== "rolling");
  const resumes = events.value.filter(({ kind, attempt }) => kind === "run-started" && attempt > 1);
  const alarms = events.value.filter(({ kind, level }) => kind === "alarm" && level !== "info");
  const stepsOf = (own: string): readonly number[] =>
    events.value.flatMap(({ kind, step }) => (kind === own && step !== null ? [step] : []));
  return [
    ...lines(
      "checkpoint",
      saves.flatMap(({ best, step }) => (best === null ? [step] : [])),
    ),
    ...lines(
      "best",
      saves.flatMap(({ best, step }) => (best === null ? [] : [step])),
    ),
    ...lines(
      "resume",
      resumes.map(({ step }) => step ?? 0),
    ),
    ...lines("settings", stepsOf("settings-changed")),
    ...lines("code", stepsOf("environment-code-changed")),
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
