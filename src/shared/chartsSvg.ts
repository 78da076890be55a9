/** Charts as standalone SVG: titles, axes, bands, dashed lines, values with intervals, and a legend. */

import { labelledTicks, logTicks, ticksIn } from "./axisTicks.ts";
import { loneRows, type Range } from "./chartScale.ts";
import { escapeMarkup } from "./escapeMarkup.ts";

export interface SvgLine {
  readonly label: string;
  readonly color: string;
  /** Dash and gap lengths. */
  readonly dash?: readonly number[] | undefined;
  /** Same length as the axis; NaN for a gap. */
  readonly values: ArrayLike<number>;
  /** Intervals for values that are drawn as points. */
  readonly intervals?: { readonly low: ArrayLike<number>; readonly high: ArrayLike<number> };
}

/** A filled area. */
export interface SvgBand {
  readonly upper: ArrayLike<number>;
  readonly lower: ArrayLike<number>;
  readonly color: string;
  /** Opacity, 0 to 1. */
  readonly share: number;
}

export interface SvgChart {
  readonly title: string;
  readonly lines: readonly SvgLine[];
  readonly bands: readonly SvgBand[];
  /** Ascending. */
  readonly xs: ArrayLike<number>;
  readonly xRange: Range;
  readonly yRange: Range;
  /** Allowed distances between ticks of the horizontal axis; null = any. */
  readonly xSteps?: readonly number[] | null;
  readonly isLog: boolean;
  /** `step` is the distance between ticks; 0 when it varies. */
  readonly formatX: (value: number, step: number) => string;
  readonly formatY: (value: number, step: number) => string;
}

/** A chart laid out on a sheet with others. */
export interface PlacedChart extends SvgChart {
  /** True to span both columns. */
  readonly isWide: boolean;
  readonly height: number;
}

export interface SvgColors {
  readonly text: string;
  readonly quiet: string;
  readonly back: string;
  readonly font: string;
}

const SHEET_WIDTH = 1_200;
const GAP = 24;
const TITLE = 26;
const AXIS_LEFT = 60;
const AXIS_BELOW = 26;
const LEGEND_LINE = 22;
const LEGEND_COLUMNS = 3;
/** Margin for marks drawn at the edge of a plot. */
const EDGE = 8;

interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** One chart without title or legend, for a page that draws its own. */
export function chartSvg(
  chart: SvgChart,
  size: { readonly width: number; readonly height: number },
  colors: Pick<SvgColors, "quiet">,
): string {
  const plot: Place = {
    left: AXIS_LEFT,
    top: EDGE,
    width: size.width - AXIS_LEFT - EDGE,
    height: size.height - AXIS_BELOW - EDGE,
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escapeMarkup(chart.title)}" font-size="12">`,
    ...plotParts(chart, plot, colors),
    "</svg>",
  ].join("\n");
}

/** All charts on one sheet below a shared legend, taken from the first chart. */
export function chartsSvg(
  charts: readonly PlacedChart[],
  colors: SvgColors,
  sheetWidth = SHEET_WIDTH,
): string {
  const legend = charts[0]?.lines ?? [];
  const legendHeight = GAP + LEGEND_LINE * Math.ceil(legend.length / LEGEND_COLUMNS);
  const { places, height } = placesOf(charts, legendHeight, sheetWidth);
  const parts = charts.flatMap((chart, index) => {
    const place = places[index];
    return place === undefined ? [] : [chartParts(chart, place, colors)];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${sheetWidth}" height="${height}" viewBox="0 0 ${sheetWidth} ${height}" font-family="${escapeMarkup(colors.font)}" font-size="12">`,
    `<rect width="100%" height="100%" fill="${colors.back}"/>`,
    ...legend.map((line, index) => legendEntry(line, index, colors, sheetWidth)),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

/** Two charts per row, or one wide chart. */
function placesOf(
  charts: readonly PlacedChart[],
  top: number,
  sheetWidth: number,
): { readonly places: readonly Place[]; readonly height: number } {
  const half = (sheetWidth - 3 * GAP) / 2;
  const places: Place[] = [];
  let [left, y, rowHeight] = [GAP, top, 0];
  for (const { isWide, height } of charts) {
    const width = isWide ? sheetWidth - 2 * GAP : half;
    if (left + width > sheetWidth) [left, y, rowHeight] = [GAP, y + rowHeight + GAP, 0];
    places.push({ left, top: y, width, height });
    left += width + GAP;
    rowHeight = Math.max(rowHeight, height);
  }
  return { places, height: y + rowHeight + GAP };
}

function legendEntry(
  { label, color, dash }: SvgLine,
  index: number,
  { text }: SvgColors,
  sheetWidth: number,
): string {
  const x = GAP + ((sheetWidth - 2 * GAP) / LEGEND_COLUMNS) * (index % LEGEND_COLUMNS);
  const y = GAP + LEGEND_LINE * Math.floor(index / LEGEND_COLUMNS);
  return [
    `<line x1="${x}" x2="${x + 28}" y1="${y}" y2="${y}" stroke="${color}" stroke-width="2"${dashes(dash)}/>`,
    `<text x="${x + 36}" y="${y + 4}" fill="${text}">${escapeMarkup(label)}</text>`,
  ].join("\n");
}

function chartParts(chart: PlacedChart, place: Place, colors: SvgColors): string {
  const plot: Place = {
    left: place.left + AXIS_LEFT,
    top: place.top + TITLE,
    width: place.width - AXIS_LEFT,
    height: place.height - TITLE - AXIS_BELOW,
  };
  return [
    `<text x="${place.left}" y="${place.top + 14}" font-weight="600" fill="${colors.text}">${escapeMarkup(chart.title)}</text>`,
    ...plotParts(chart, plot, colors),
  ].join("\n");
}

/** Axes, bands and lines. A nested SVG element clips them, because `clipPath` ids would be global to the page. */
function plotParts(
  chart: SvgChart,
  plot: Place,
  colors: Pick<SvgColors, "quiet">,
): readonly string[] {
  const x = scaleOf(chart.xRange, false, [plot.left, plot.left + plot.width]);
  const y = scaleOf(chart.yRange, chart.isLog, [plot.top + plot.height, plot.top]);
  const { left, top, width, height } = plot;
  return [
    ...axisParts(chart, plot, { x, y }, colors),
    `<svg x="${left}" y="${top}" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}">`,
    ...chart.bands.map(({ upper, lower, color, share }) => {
      const path = bandPath(chart.xs, upper, lower, { x, y });
      return `<path d="${path}" fill="${color}" fill-opacity="${share}"/>`;
    }),
    ...chart.lines.map(({ color, dash, values }) => {
      const path = linePath(chart.xs, values, { x, y });
      return `<path d="${path}" fill="none" stroke="${color}" stroke-width="1.75" stroke-linejoin="round"${dashes(dash)}/>`;
    }),
    "</svg>",
    // Drawn outside the clipping element, so that points at the edge are not cut off.
    ...chart.lines.flatMap((line) => pointParts(chart, line, { x, y })),
  ];
}

function pointParts(
  { xs, xRange, yRange }: SvgChart,
  { color, values, intervals }: SvgLine,
  { x, y }: Scales,
): readonly string[] {
  const lone = new Set(loneRows(Array.from(values, y)));
  return Array.from(values).flatMap((value, row) => {
    const isSeen = isWithin(xs[row], xRange) && isWithin(value, yRange);
    if (!isSeen || (intervals === undefined && !lone.has(row))) return [];
    const [at, low, high] = [value, intervals?.low[row], intervals?.high[row]].map((each) =>
      y(each ?? Number.NaN),
    );
    if (at === undefined || !Number.isFinite(at)) return [];
    const left = place(x(xs[row] ?? 0));
    const whisker =
      Number.isFinite(low) && Number.isFinite(high)
        ? `<line x1="${left}" x2="${left}" y1="${place(low ?? 0)}" y2="${place(high ?? 0)}" stroke="${color}" stroke-width="1.25"/>`
        : "";
    return [`${whisker}<circle cx="${left}" cy="${place(at)}" r="3" fill="${color}"/>`];
  });
}

function isWithin(value = Number.NaN, [low, high]: Range): boolean {
  return value >= low && value <= high;
}

type Scale = (value: number) => number;
interface Scales {
  readonly x: Scale;
  readonly y: Scale;
}

function scaleOf([low, high]: Range, isLog: boolean, [from, to]: readonly [number, number]): Scale {
  const of = isLog ? Math.log10 : (value: number) => value;
  const span = of(high) - of(low) || 1;
  return (value) => from + ((to - from) * (of(value) - of(low))) / span;
}

function axisParts(
  { xRange, yRange, xSteps, isLog, formatX, formatY }: SvgChart,
  { left, top, width, height }: Place,
  { x, y }: Scales,
  { quiet }: Pick<SvgColors, "quiet">,
): readonly string[] {
  const yTicks = isLog ? logTicks(yRange) : ticksIn(yRange);
  const yLabels = isLog ? labelledTicks(yTicks, y) : yTicks;
  const yStep = isLog ? 0 : (yTicks[1] ?? 0) - (yTicks[0] ?? 0);
  const xTicks = ticksIn(xRange, xSteps);
  const xStep = (xTicks[1] ?? 0) - (xTicks[0] ?? 0);
  return [
    ...yTicks.flatMap((tick, index) => [
      `<line x1="${left}" x2="${left + width}" y1="${place(y(tick))}" y2="${place(y(tick))}" stroke="${quiet}" stroke-opacity="0.25"/>`,
      ...(yLabels[index] === null
        ? []
        : [
            `<text x="${left - 6}" y="${place(y(tick) + 4)}" text-anchor="end" fill="${quiet}">${escapeMarkup(formatY(tick, yStep))}</text>`,
          ]),
    ]),
    ...xTicks.map(
      (tick) =>
        `<text x="${place(x(tick))}" y="${top + height + 18}" text-anchor="middle" fill="${quiet}">${escapeMarkup(formatX(tick, xStep))}</text>`,
    ),
  ];
}

/** Each gap ends a subpath. */
function linePath(xs: ArrayLike<number>, values: ArrayLike<number>, { x, y }: Scales): string {
  let isOpen = false;
  let path = "";
  for (let row = 0; row < values.length; row += 1) {
    const at = y(values[row] ?? Number.NaN);
    if (!Number.isFinite(at)) {
      isOpen = false;
      continue;
    }
    path += `${isOpen ? "L" : "M"}${place(x(xs[row] ?? 0))} ${place(at)}`;
    isOpen = true;
  }
  return path;
}

function bandPath(
  xs: ArrayLike<number>,
  upper: ArrayLike<number>,
  lower: ArrayLike<number>,
  { x, y }: Scales,
): string {
  const rows = Array.from({ length: upper.length }, (_, row) => row).filter(
    (row) =>
      Number.isFinite(y(upper[row] ?? Number.NaN)) && !Number.isNaN(lower[row] ?? Number.NaN),
  );
  if (rows.length === 0) return "";
  // A logarithmic axis cannot show values at or below zero, so the band extends to its lower edge.
  const bottom = (row: number): number => {
    const at = y(lower[row] ?? Number.NaN);
    return Number.isFinite(at) ? at : 1e5;
  };
  const above = rows.map((row) => `${place(x(xs[row] ?? 0))} ${place(y(upper[row] ?? 0))}`);
  const below = rows.toReversed().map((row) => `${place(x(xs[row] ?? 0))} ${place(bottom(row))}`);
  return `M${above.join("L")}L${below.join("L")}Z`;
}

function dashes(dash: readonly number[] | undefined): string {
  return dash === undefined ? "" : ` stroke-dasharray="${dash.join(" ")}"`;
}

function place(value: number): number {
  return Math.round(value * 100) / 100;
}
