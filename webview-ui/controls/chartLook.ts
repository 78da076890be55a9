/** How a line chart looks, as options of uPlot: axes, lines, bands. */

import type uPlot from "uplot";
import { labelledTicks } from "../charts/ticks.ts";
import type { ChartBand, ChartData, ChartSeries } from "./chartData.ts";
import { canvasColour, lineColour } from "./palette.ts";

export const AXIS_FONT_PX = 11;
/** Between the middles of two labels of the vertical axis. */
const LABEL_PX = 18;

/** A chart is built anew when this changes; else only its numbers are replaced. */
export function shapeOf({ series, bands, isLog, xSteps }: ChartData): string {
  const looks = series.map(({ key, colour, share, width, dash }) => [
    key,
    colour,
    share,
    width,
    dash,
  ]);
  return JSON.stringify([
    looks,
    bands,
    isLog,
    xSteps,
    canvasColour("strong"),
    canvasColour("back"),
  ]);
}

/** Both axes; `current` gives what is drawn when they are. */
export function axesOf(
  { isLog, xSteps }: ChartData,
  isSmall: boolean,
  current: () => ChartData,
): uPlot.Axis[] {
  return [
    {
      ...axis(isSmall ? 24 : 28, (value, step) => current().formatX(value, step)),
      space: isSmall ? 76 : 90,
      ...(xSteps === null ? {} : { incrs: [...xSteps] }),
    },
    {
      ...axis(isSmall ? 46 : 56, (value, step) => current().formatY(value, isLog ? 0 : step)),
      space: isSmall ? 28 : 36,
      ...(isLog ? { filter: logLabels } : {}),
    },
  ];
}

function logLabels(plot: uPlot, ticks: number[]): (number | null)[] {
  return [...labelledTicks(ticks, (tick) => plot.valToPos(tick, "y"), LABEL_PX)];
}

function axis(size: number, format: (value: number, step: number) => string): uPlot.Axis {
  return {
    size,
    gap: 4,
    font: `${AXIS_FONT_PX}px ${getComputedStyle(document.body).fontFamily}`,
    stroke: () => canvasColour("text"),
    grid: { stroke: () => canvasColour("lines", 0.22), width: 1 },
    ticks: { show: false },
    values: (_, splits, _axis, _space, step) =>
      splits.map((value) => (value === null ? "" : format(value, step))),
  };
}

export function seriesOptions({ colour, share, width, dash }: ChartSeries): uPlot.Series {
  return {
    stroke: () => (share === 0 ? "transparent" : lineColour(colour, share)),
    width,
    ...(dash === undefined ? {} : { dash: [...dash] }),
    points: { show: (own) => share === 1 && own.data[0].length < 2, size: 5 },
    spanGaps: false,
  };
}

export function bandOptions(
  { upper, lower, colour, share }: ChartBand,
  series: readonly ChartSeries[],
): readonly uPlot.Band[] {
  const at = (wanted: string): number => series.findIndex(({ key }) => key === wanted) + 1;
  if (at(upper) === 0 || at(lower) === 0) return [];
  return [{ series: [at(upper), at(lower)], fill: () => canvasColour(colour, share) }];
}

export function strokeOf({ series }: ChartData, index: number): string {
  const own = series[index];
  return own === undefined || own.share === 0 ? "transparent" : lineColour(own.colour);
}
