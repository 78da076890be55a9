/** Charts as one drawing: titles, axes, bands, lines with their dashes, and a legend. */

import type { ChartData } from "../controls/chartData.ts";
import type { ColorName } from "../controls/palette.ts";
import type { ComparedCharts } from "./comparedChart.ts";

export interface DrawnChart extends ComparedCharts {
  readonly title: string;
  /** As wide as two others. */
  readonly isWide: boolean;
  readonly height: number;
}

export interface SvgColors {
  readonly colorOf: (name: ColorName) => string;
  readonly text: string;
  readonly quiet: string;
  readonly back: string;
  readonly font: string;
}

const WIDTH = 1_200;
const GAP = 24;
const TITLE = 26;
const AXIS_LEFT = 60;
const AXIS_BELOW = 26;
const LEGEND_LINE = 22;
const LEGEND_COLUMNS = 3;
const TICKS = 5;

interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function chartsSvg(charts: readonly DrawnChart[], colors: SvgColors): string {
  const legend = charts[0]?.lines ?? [];
  const legendHeight = GAP + LEGEND_LINE * Math.ceil(legend.length / LEGEND_COLUMNS);
  const { places, height } = placesOf(charts, legendHeight);
  const parts = charts.flatMap((chart, index) => {
    const place = places[index];
    return place === undefined ? [] : [chartParts(chart, place, colors)];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="${escaped(colors.font)}" font-size="12">`,
    `<rect width="100%" height="100%" fill="${colors.back}"/>`,
    ...legend.map((line, index) => legendEntry(line, index, colors)),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

/** Two charts a row, or one that is wide. */
function placesOf(
  charts: readonly DrawnChart[],
  top: number,
): { readonly places: readonly Place[]; readonly height: number } {
  const half = (WIDTH - 3 * GAP) / 2;
  const places: Place[] = [];
  let [left, y, rowHeight] = [GAP, top, 0];
  for (const { isWide, height } of charts) {
    const width = isWide ? WIDTH - 2 * GAP : half;
    if (left + width > WIDTH) [left, y, rowHeight] = [GAP, y + rowHeight + GAP, 0];
    places.push({ left, top: y, width, height });
    left += width + GAP;
    rowHeight = Math.max(rowHeight, height);
  }
  return { places, height: y + rowHeight + GAP };
}

function legendEntry(
  { label, look }: DrawnChart["lines"][number],
  index: number,
  { colorOf, text }: SvgColors,
): string {
  const x = GAP + ((WIDTH - 2 * GAP) / LEGEND_COLUMNS) * (index % LEGEND_COLUMNS);
  const y = GAP + LEGEND_LINE * Math.floor(index / LEGEND_COLUMNS);
  return [
    `<line x1="${x}" x2="${x + 28}" y1="${y}" y2="${y}" stroke="${colorOf(look.color)}" stroke-width="2"${dashes(look.dash)}/>`,
    `<text x="${x + 36}" y="${y + 4}" fill="${text}">${escaped(label)}</text>`,
  ].join("\n");
}

function chartParts({ title, data, lines }: DrawnChart, place: Place, colors: SvgColors): string {
  const plot: Place = {
    left: place.left + AXIS_LEFT,
    top: place.top + TITLE,
    width: place.width - AXIS_LEFT,
    height: place.height - TITLE - AXIS_BELOW,
  };
  const x = scaleOf(data.xRange, false, [plot.left, plot.left + plot.width]);
  const y = scaleOf(data.yRange, data.isLog, [plot.top + plot.height, plot.top]);
  const clip = `clip-${Math.round(place.left)}-${Math.round(place.top)}`;
  const at = (key: string): Float64Array =>
    data.series.find((series) => series.key === key)?.values ?? new Float64Array();
  return [
    `<clipPath id="${clip}"><rect x="${plot.left}" y="${plot.top}" width="${plot.width}" height="${plot.height}"/></clipPath>`,
    `<text x="${place.left}" y="${place.top + 14}" font-weight="600" fill="${colors.text}">${escaped(title)}</text>`,
    ...axisParts(data, plot, { x, y }, colors),
    `<g clip-path="url(#${clip})">`,
    ...data.bands.map(({ upper, lower, color, share }) => {
      const path = bandPath(data.xs, at(upper), at(lower), { x, y });
      return `<path d="${path}" fill="${colors.colorOf(color)}" fill-opacity="${share}"/>`;
    }),
    ...lines.map(({ look, values }) => {
      const path = linePath(data.xs, values, { x, y });
      return `<path d="${path}" fill="none" stroke="${colors.colorOf(look.color)}" stroke-width="1.75" stroke-linejoin="round"${dashes(look.dash)}/>`;
    }),
    "</g>",
  ].join("\n");
}

type Scale = (value: number) => number;
interface Scales {
  readonly x: Scale;
  readonly y: Scale;
}

function scaleOf(
  [low, high]: ChartData["xRange"],
  isLog: boolean,
  [from, to]: readonly [number, number],
): Scale {
  const of = isLog ? Math.log10 : (value: number) => value;
  const span = of(high) - of(low) || 1;
  return (value) => from + ((to - from) * (of(value) - of(low))) / span;
}

function axisParts(
  { xRange, yRange, isLog, formatX, formatY }: ChartData,
  { left, top, width, height }: Place,
  { x, y }: Scales,
  { quiet }: SvgColors,
): readonly string[] {
  const yTicks = isLog ? powersIn(yRange) : ticksIn(yRange);
  const yStep = isLog ? 0 : (yTicks[1] ?? 0) - (yTicks[0] ?? 0);
  const xTicks = ticksIn(xRange);
  const xStep = (xTicks[1] ?? 0) - (xTicks[0] ?? 0);
  return [
    ...yTicks.flatMap((tick) => [
      `<line x1="${left}" x2="${left + width}" y1="${place(y(tick))}" y2="${place(y(tick))}" stroke="${quiet}" stroke-opacity="0.25"/>`,
      `<text x="${left - 6}" y="${place(y(tick) + 4)}" text-anchor="end" fill="${quiet}">${escaped(formatY(tick, yStep))}</text>`,
    ]),
    ...xTicks.map(
      (tick) =>
        `<text x="${place(x(tick))}" y="${top + height + 18}" text-anchor="middle" fill="${quiet}">${escaped(formatX(tick, xStep))}</text>`,
    ),
  ];
}

/** Round values in the range, at about five equal distances. */
function ticksIn([low, high]: ChartData["xRange"]): readonly number[] {
  const rough = (high - low) / TICKS;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((first) => first * power).find((own) => own >= rough) ?? rough;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => (first + index) * step);
}

function powersIn([low, high]: ChartData["xRange"]): readonly number[] {
  const first = Math.ceil(Math.log10(low));
  const count = Math.floor(Math.log10(high)) - first + 1;
  if (count < 1) return [low, high];
  return Array.from({ length: count }, (_, index) => 10 ** (first + index));
}

/** A gap ends a piece of the line. */
function linePath(xs: Float64Array, values: Float64Array, { x, y }: Scales): string {
  let isOpen = false;
  let path = "";
  for (const [row, value] of values.entries()) {
    const at = y(value);
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
  xs: Float64Array,
  upper: Float64Array,
  lower: Float64Array,
  { x, y }: Scales,
): string {
  const rows = Array.from(upper.keys()).filter(
    (row) =>
      Number.isFinite(y(upper[row] ?? Number.NaN)) && !Number.isNaN(lower[row] ?? Number.NaN),
  );
  if (rows.length === 0) return "";
  // A logarithmic axis has no place for what is not positive: the band goes to its lower edge.
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

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
