/** Data of a small chart: its lines, its shaded range, and the numbers beside them. */

import { shownX, valueRange } from "../../../src/shared/chartScale.ts";
import { joined } from "../../changes/rewardParts.ts";
import {
  axesOver,
  bandBetween,
  type ChartData,
  type ChartSeries,
} from "../../charts/drawing/chartData.ts";
import { formatValue, formatXValue } from "../../charts/format.ts";
import { smooth, smoothingOf } from "../../charts/smoothing.ts";
import { hasWholeTicks } from "../../charts/ticks.ts";
import { shownAxis, type XAxis, xValues } from "../../charts/xAxis.ts";
import type { RunData } from "../../model/runData.ts";
import type { ViewState } from "../../model/viewState.ts";
import { strings } from "../../strings/strings.ts";
import type { SmallChartSpec, SmallSeries } from "./smallChartSpecs.ts";

export interface SmallChartData {
  readonly chart: ChartData;
  readonly xAxis: XAxis;
  /** Counted from 0, one per row. */
  readonly steps: Float64Array;
  /** Recorded values, one list per series; never smoothed. */
  readonly raw: readonly Float64Array[];
  /** The drawn lines, one per series. */
  readonly drawn: readonly Float64Array[];
}

/** Lines are smoothed; the shaded range and the faint line behind a single series are not. */
export function smallChartData(
  { columns, events }: Pick<RunData, "columns" | "events">,
  view: ViewState,
  spec: SmallChartSpec,
): SmallChartData {
  const { isLog, isClipped, isFromZero, xRange } = view;
  const raw = spec.series.map(({ name }) => columns.values(name));
  const smoothing = smoothingOf(view.smoothing, columns.steps().length);
  const isRawDrawn = smoothing.kind !== "none" && spec.series.length === 1;
  const smoothed = raw.map((values, index) =>
    spec.series[index]?.isSparse === true ? joined(values) : smooth(values, smoothing),
  );
  const lines = spec.series.flatMap((own, index) => {
    const values = raw[index] ?? new Float64Array();
    const line = lineOf(own, smoothed[index] ?? values);
    return isRawDrawn ? [faintLine(own, values), line] : [line];
  });
  const xAxis = shownAxis(view.xAxis, columns, events.value);
  const xs = xValues(xAxis, columns, events.value);
  const { upper = "", lower = "" } = spec.band ?? {};
  const band =
    spec.band === undefined
      ? null
      : bandBetween("range", { high: columns.values(upper), low: columns.values(lower) }, BAND);
  const edges = band?.edges ?? [];
  const yRange = valueRange(
    [...edges, ...lines].map(({ values }) => values),
    { isLog, isClipped, isFromZero },
  );
  const counted = edges.length > 0 ? edges.map(({ values }) => values) : raw;
  const chart: ChartData = {
    xs,
    series: [...edges, ...lines],
    bands: band === null ? [] : [band.band],
    marks: [],
    isLog,
    isWhole: hasWholeTicks(counted, yRange),
    xRange: xRange ?? shownX(xs),
    yRange,
    ...axesOver(xAxis),
  };
  return { chart, xAxis, steps: columns.steps(), raw, drawn: smoothed };
}

/** Describes a row: the recorded values, plus the drawn ones if they differ. */
export function describeRow(
  { chart, xAxis, raw, drawn }: SmallChartData,
  { title }: Pick<SmallChartSpec, "title">,
  row: number,
): string {
  const value = raw[0]?.[row];
  const smoothed = drawn[0]?.[row];
  const written = `${formatXValue(xAxis, chart.xs[row] ?? 0)}: ${title} ${formatValue(value)}`;
  return Object.is(value, smoothed)
    ? written
    : `${written}, ${strings.reward.smoothed(formatValue(smoothed))}`;
}

const BAND = { color: "blue", share: 0.14 } as const;

function lineOf({ name, label, color, dash }: SmallSeries, values: Float64Array): ChartSeries {
  return { key: name, label, values, color, share: 1, width: 1.5, dash };
}

function faintLine({ name, label, color }: SmallSeries, values: Float64Array): ChartSeries {
  return { key: `raw ${name}`, label, values, color, share: 0.35, width: 1 };
}
