/** The look of a line chart as uPlot options: axes, lines, bands. */

import type uPlot from "uplot";
import { labelledTicks, logTicks } from "../../../src/shared/axisTicks.ts";
import { loneRows } from "../../../src/shared/chartScale.ts";
import { withoutUndefined } from "../../../src/shared/withoutUndefined.ts";
import { WHOLE_STEPS } from "../ticks.ts";
import type { ChartBand, ChartData, ChartSeries } from "./chartData.ts";
import { RIGHT_PX } from "./chartMarks.ts";
import { endLabelWidth } from "./endLabels.ts";
import { canvasColor, lineColor } from "./palette.ts";

export const AXIS_FONT_PX = 11;
/** Between an axis label and the plot. */
const GAP_PX = 4;

/** The chart is rebuilt when this changes; otherwise only its numbers are replaced. */
export function shapeOf({ series, bands, isLog, isWhole, xSteps }: ChartData): string {
  const looks = series.map(({ key, color, share, width, dash }) => [
    key,
    color,
    share,
    width,
    dash,
  ]);
  const axes = [isLog, isWhole, xSteps];
  return JSON.stringify([looks, bands, axes, canvasColor("strong"), canvasColor("back")]);
}

/** Both axes, with room for their labels; `current` returns the data at the time they are drawn. */
export function axesOf(
  { isLog, isWhole = false, xSteps }: ChartData,
  isSmall: boolean,
  current: () => ChartData,
): Pick<uPlot.Options, "axes" | "padding"> {
  const atRight = isSmall ? 8 : RIGHT_PX;
  const atLeft = isSmall ? 46 : 56;
  let xLabels: readonly string[] = [];
  const formatX = (value: number, step: number): string => current().formatX(value, step);
  const x = axis(formatX, (labels) => {
    xLabels = labels;
  });
  return {
    axes: [
      {
        ...x,
        size: isSmall ? 24 : 28,
        space: isSmall ? 76 : 90,
        ...withoutUndefined({ incrs: xSteps === null ? undefined : [...xSteps] }),
      },
      {
        ...axis((value, step) => current().formatY(value, isLog ? 0 : step)),
        size: (plot, labels: readonly string[] | null) =>
          Math.max(atLeft, widthOf(plot, labels ?? []) + GAP_PX + 1),
        space: isSmall ? 28 : 36,
        ...withoutUndefined({
          splits: isLog ? logSplits : undefined,
          filter: isLog ? logLabels : undefined,
          incrs: isWhole && !isLog ? [...WHOLE_STEPS] : undefined,
        }),
      },
    ],
    // Leaves room for a last tick label at the right end.
    padding: [
      isSmall ? 6 : 10,
      (plot) =>
        Math.max(
          atRight,
          Math.ceil(widthOf(plot, xLabels.slice(-1)) / 2) + 1,
          endLabelWidth(plot, current(), axisFont()),
        ),
      0,
      0,
    ],
  };
}

function widthOf({ ctx }: uPlot, texts: readonly string[]): number {
  ctx.save();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.font = axisFont();
  const width = Math.max(0, ...texts.map((text) => ctx.measureText(text).width));
  ctx.restore();
  return Math.ceil(width);
}

export function axisFont(): string {
  return `${AXIS_FONT_PX}px ${getComputedStyle(document.body).fontFamily}`;
}

function logSplits(_: uPlot, _axis: number, low: number, high: number): number[] {
  return [...logTicks([low, high])];
}

function logLabels(plot: uPlot, ticks: number[]): (number | null)[] {
  return [...labelledTicks(ticks, (tick) => plot.valToPos(tick, "y"))];
}

/** `written` receives the tick labels before the chart is laid out. */
function axis(
  format: (value: number, step: number) => string,
  written?: (labels: readonly string[]) => void,
): uPlot.Axis {
  return {
    gap: GAP_PX,
    font: axisFont(),
    stroke: () => canvasColor("text"),
    grid: { stroke: () => canvasColor("lines", 0.22), width: 1 },
    ticks: { show: false },
    values: (_, splits, _axis, _space, step) => {
      const labels = splits.map((value) => (value === null ? "" : format(value, step)));
      written?.(labels);
      return labels;
    },
  };
}

export function seriesOptions({ color, share, width, dash }: ChartSeries): uPlot.Series {
  const stroke = (): string => (share === 0 ? "transparent" : lineColor(color, share));
  return withoutUndefined({
    stroke,
    width,
    dash: dash && [...dash],
    points: {
      show: false,
      filter: (plot: uPlot, index: number) =>
        share === 1 ? [...loneRows(plot.data[index] ?? [])] : null,
      fill: stroke,
      size: 5,
    },
    spanGaps: false,
  });
}

export function bandOptions(
  { upper, lower, color, share }: ChartBand,
  series: readonly ChartSeries[],
): readonly uPlot.Band[] {
  const at = (wanted: string): number => series.findIndex(({ key }) => key === wanted) + 1;
  if (at(upper) === 0 || at(lower) === 0) return [];
  return [{ series: [at(upper), at(lower)], fill: () => canvasColor(color, share) }];
}

export function strokeOf({ series }: ChartData, index: number): string {
  const own = series[index];
  return own === undefined || own.share === 0 ? "transparent" : lineColor(own.color);
}
