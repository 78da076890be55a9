/** Labels at the right ends of curves, so that readers need not match colors with a legend. */

import type uPlot from "uplot";
import type { ChartData, ChartSeries } from "./chartData.ts";
import { RIGHT_PX } from "./chartMarks.ts";
import { canvasColor, lineColor } from "./palette.ts";

/** Minimum distance between the centers of two labels. */
const LINE_PX = 14;
/** Largest share of the chart's width that labels may take. */
const MAX_SHARE = 0.2;
/** With less room than this, only the legend shows the names. */
const MIN_PX = 80;

/** A drawn label, in CSS pixels from the corner of the plotting area. */
export interface EndLabel {
  readonly text: string;
  readonly left: number;
  readonly middle: number;
  readonly isCut: boolean;
}

/** The width that labels need beside the plot, in CSS pixels; 0 without labels. */
export function endLabelWidth(plot: uPlot, { series }: ChartData, font: string): number {
  const texts = series.flatMap(({ endLabel }) => endLabel ?? []);
  const most = maxPx(plot);
  if (texts.length === 0 || most === 0) return 0;
  const widest = Math.max(...texts.map((text) => widthOf(plot, font, text)));
  return RIGHT_PX + Math.ceil(Math.min(widest, most)) + 4;
}

/** Draws a line from the end of each curve to its label. Returns the drawn labels. */
export function drawEndLabels(plot: uPlot, { series }: ChartData, font: string): EndLabel[] {
  const most = maxPx(plot);
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const height = bbox.height / ratio;
  const ends = most === 0 ? [] : series.flatMap((own, index) => endOf(plot, own, index));
  // Labels that do not fit are left to the legend.
  const fitting = ends.slice(0, Math.floor(height / LINE_PX));
  const middles = spread(
    fitting.map(({ y }) => y),
    height,
  );
  const right = bbox.left / ratio + bbox.width / ratio;
  const top = bbox.top / ratio;
  ctx.save();
  ctx.scale(ratio, ratio);
  ctx.font = font;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  const labels = fitting.map(({ text, color, dash, y }, index): EndLabel => {
    const middle = middles[index] ?? y;
    ctx.strokeStyle = lineColor(color);
    ctx.lineWidth = 1.5;
    ctx.setLineDash([...dash]);
    ctx.beginPath();
    ctx.moveTo(right + 2, top + y);
    ctx.lineTo(right + RIGHT_PX - 4, top + middle);
    ctx.stroke();
    ctx.fillStyle = canvasColor("strong");
    const shown = cutTo(text, most, (part) => ctx.measureText(part).width);
    ctx.fillText(shown, right + RIGHT_PX, top + middle);
    return { text, left: bbox.width / ratio + RIGHT_PX, middle, isCut: shown !== text };
  });
  ctx.restore();
  return labels;
}

/** The full text of a truncated label at a position (CSS pixels from the corner of the plotting area); empty elsewhere. */
export function cutLabelAt(
  labels: readonly EndLabel[],
  { left, top }: { readonly left: number; readonly top: number },
): string {
  const found = labels.find(
    (label) => left >= label.left && Math.abs(top - label.middle) <= LINE_PX / 2,
  );
  return found?.isCut === true ? found.text : "";
}

/** Positions of labels within a height: each as close as possible to its wanted position without overlaps. */
export function spread(wanted: readonly number[], height: number, least = LINE_PX): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => at(wanted, a) - at(wanted, b));
  const places = [...wanted];
  let next = least / 2;
  for (const index of order) {
    places[index] = Math.max(next, at(wanted, index));
    next = at(places, index) + least;
  }
  let last = height - least / 2;
  for (const index of order.toReversed()) {
    places[index] = Math.min(last, at(places, index));
    last = at(places, index) - least;
  }
  return places;
}

interface CurveEnd {
  readonly text: string;
  readonly color: ChartSeries["color"];
  readonly dash: readonly number[];
  readonly y: number;
}

/** The last value in view; null if it is outside of the range. */
function endOf(
  plot: uPlot,
  { endLabel, color, dash = [] }: ChartSeries,
  index: number,
): readonly CurveEnd[] {
  if (endLabel === undefined) return [];
  const [xs, values] = [plot.data[0], plot.data[index + 1] ?? []];
  const { min = 0, max = 0 } = plot.scales["x"] ?? {};
  for (let row = xs.length - 1; row >= 0; row -= 1) {
    const x = xs[row] ?? 0;
    const value = values[row];
    if (x > (max ?? x) || value == null || Number.isNaN(value)) continue;
    const y = x < (min ?? x) ? Number.NaN : plot.valToPos(value, "y");
    const isInSight = y >= 0 && y <= plot.bbox.height / devicePixelRatio;
    return isInSight ? [{ text: endLabel, color, dash, y }] : [];
  }
  return [];
}

function maxPx({ width }: uPlot): number {
  const most = Math.floor(width * MAX_SHARE);
  return most < MIN_PX ? 0 : most;
}

function widthOf({ ctx }: uPlot, font: string, text: string): number {
  ctx.save();
  ctx.font = font;
  const { width } = ctx.measureText(text);
  ctx.restore();
  return width;
}

/** Truncates a text with an ellipsis. */
function cutTo(text: string, most: number, widthOfPart: (part: string) => number): string {
  if (widthOfPart(text) <= most) return text;
  let kept = text;
  while (kept.length > 1 && widthOfPart(`${kept}…`) > most) kept = kept.slice(0, -1);
  return `${kept}…`;
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? 0;
}
