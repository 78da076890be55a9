/** The small plot of a setting: positions of its runs, means, intervals and labels, and the same as SVG. */

import { ticksIn } from "./axisTicks.ts";
import { type Range, valueRange } from "./chartScale.ts";
import { escapeMarkup } from "./escapeMarkup.ts";
import type { SettingEffect, SweepEffects, SweptValue } from "./sweepEffects.ts";

export interface PlotSize {
  readonly width: number;
  readonly height: number;
}

/** In pixels from the top left. */
export interface SweepPlot extends PlotSize {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  /** One point per run, spread side by side around its value. */
  readonly points: readonly {
    readonly id: string;
    readonly x: number;
    readonly y: number;
  }[];
  readonly means: readonly {
    readonly x: number;
    readonly y: number;
    /** Ends of the interval; null where there is none. */
    readonly interval: { readonly low: number; readonly high: number } | null;
  }[];
  readonly xLabels: readonly { readonly text: string; readonly x: number }[];
  readonly yTicks: readonly { readonly value: number; readonly step: number; readonly y: number }[];
}

/** The range of all results and intervals, with some padding. */
export function resultRange({ settings }: SweepEffects): Range {
  const values = settings.flatMap((setting) =>
    setting.values.flatMap(({ points, interval }) => [
      ...points.map(({ result }) => result),
      ...(interval === null ? [] : [interval.low, interval.high]),
    ]),
  );
  return valueRange([values], { isLog: false, isClipped: false, isFromZero: false });
}

const LEFT = 48;
const RIGHT = 12;
const TOP = 8;
const BELOW = 24;
/** From the axes to the outermost values. */
const PADDING = 26;
const TEXT_PX = 7;
/** Distance between points of one value, and the maximum width of all of them. */
const APART = 7;
const SPREAD = 28;
const MAX_LABEL = 16;

/** Lays out the plot of a setting. `shown` formats a value for its label. */
export function sweepPlot(
  { scale, values }: Pick<SettingEffect, "scale" | "values">,
  range: Range,
  { width, height }: PlotSize,
  shown: (text: string) => string = (text) => text,
): SweepPlot {
  const [left, right, bottom] = [LEFT, width - RIGHT, height - BELOW];
  const places = placesOf(values, scale);
  const x = (index: number): number => {
    const place = places[index] ?? 0;
    const padding = scale === "names" ? (right - left) / (2 * values.length) : PADDING;
    return left + padding + (right - left - 2 * padding) * place;
  };
  const y = (result: number): number =>
    bottom - ((bottom - TOP) * (result - range[0])) / (range[1] - range[0] || 1);
  const ticks = ticksIn(range);
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  return {
    width,
    height,
    left,
    right,
    bottom,
    points: values.flatMap(({ points }, index) => {
      const apart = Math.min(APART, SPREAD / Math.max(1, points.length - 1));
      return points.map(({ id, result }, place) => ({
        id,
        x: x(index) + apart * (place - (points.length - 1) / 2),
        y: y(result),
      }));
    }),
    means: values.map(({ mean, interval }, index) => ({
      x: x(index),
      y: y(mean),
      interval: interval === null ? null : { low: y(interval.low), high: y(interval.high) },
    })),
    xLabels: apartFrom(
      values.map(({ text }, index) => ({ text: cut(shown(text)), x: x(index) })),
      width,
    ),
    yTicks: ticks.map((value) => ({ value, step, y: y(value) })),
  };
}

/** Positions of a setting's values, 0 to 1: by magnitude, or evenly spaced for names. */
export function placesOf(
  values: readonly SweptValue[],
  scale: SettingEffect["scale"],
): readonly number[] {
  const numbers = values.map(({ number }, index) => {
    if (scale === "names" || number === null) return index;
    return scale === "log" ? Math.log(number) : number;
  });
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return numbers.map((number) => (high > low ? (number - low) / (high - low) : 0.5));
}

function cut(text: string): string {
  return text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL - 1)}…`;
}

/** Drops labels that would overlap the previous one. */
function apartFrom(labels: SweepPlot["xLabels"], width: number): SweepPlot["xLabels"] {
  let end = Number.NEGATIVE_INFINITY;
  return labels.flatMap(({ text, x }) => {
    const half = (text.length * TEXT_PX) / 2;
    const inside = Math.min(x, width - half);
    if (inside - half < end) return [];
    end = inside + half + TEXT_PX;
    return [{ text, x: inside }];
  });
}

export interface SweepPlotColors {
  readonly quiet: string;
  readonly point: string;
  readonly mean: string;
}

/** The plot as SVG, for a report. */
export function sweepPlotSvg(
  plot: SweepPlot,
  title: string,
  colors: SweepPlotColors,
  formatY: (value: number, step: number) => string,
): string {
  const { quiet, point, mean } = colors;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${plot.width} ${plot.height}" role="img" aria-label="${escapeMarkup(title)}" font-size="12">`,
    ...plot.yTicks.flatMap(({ value, step, y }) => [
      `<line x1="${plot.left}" x2="${plot.right}" y1="${round(y)}" y2="${round(y)}" stroke="${quiet}" stroke-opacity="0.25"/>`,
      `<text x="${plot.left - 6}" y="${round(y + 4)}" text-anchor="end" fill="${quiet}">${escapeMarkup(formatY(value, step))}</text>`,
    ]),
    ...plot.xLabels.map(
      ({ text, x }) =>
        `<text x="${round(x)}" y="${plot.bottom + 18}" text-anchor="middle" fill="${quiet}">${escapeMarkup(text)}</text>`,
    ),
    ...plot.means.map(
      (own) =>
        `<path d="${meanPath(own)}" fill="none" stroke="${mean}" stroke-width="2" stroke-linecap="round"/>`,
    ),
    ...plot.points.map(
      ({ x, y }) =>
        `<circle cx="${round(x)}" cy="${round(y)}" r="3.5" fill="${point}" fill-opacity="0.75"/>`,
    ),
    "</svg>",
  ].join("\n");
}

const HALF_BAR = 18;
const HALF_END = 5;

/** A bar at the mean, and a line with end caps for its interval. */
export function meanPath({ x, y, interval }: SweepPlot["means"][number]): string {
  const bar = `M${round(x - HALF_BAR)} ${round(y)}H${round(x + HALF_BAR)}`;
  if (interval === null) return bar;
  const end = (at: number): string => `M${round(x - HALF_END)} ${round(at)}h${2 * HALF_END}`;
  const { low, high } = interval;
  return `${bar}${end(low)}M${round(x)} ${round(low)}V${round(high)}${end(high)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
