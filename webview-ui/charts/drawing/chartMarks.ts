/** Marks over a chart's lines: checkpoints, resumes, changed settings, pauses, skipped steps, evaluations. */

import type uPlot from "uplot";
import type { EvaluatedCell } from "../../model/evaluationCell.ts";
import { type ColorName, lineColor } from "./palette.ts";

export type LineMark = "checkpoint" | "best" | "resume" | "settings" | "code" | "pause" | "alarm";

export type ChartMark =
  /** A vertical line with a symbol at its top. */
  | { readonly kind: LineMark; readonly x: number }
  /** A cross at the bottom. */
  | { readonly kind: "skipped"; readonly x: number }
  /** A symbol with its confidence interval. */
  | {
      readonly kind: "evaluation";
      readonly x: number;
      readonly y: number;
      readonly low: number;
      readonly high: number;
      readonly color: ColorName;
      /** Index of the marker symbol. */
      readonly symbol: number;
      /** Pixels to the right, so that marks of one step do not overlap. */
      readonly shift: number;
      /** What a click on it opens. */
      readonly cell: EvaluatedCell;
    };

export type EvaluationMark = Extract<ChartMark, { readonly kind: "evaluation" }>;

const DIAMOND = "M0 -1 L1 0 L0 1 L-1 0 Z";
const SQUARE = "M-0.8 -0.8 H0.8 V0.8 H-0.8 Z";
/** Marker symbols of evaluations: SVG paths around the origin, within -1 to 1. */
const SYMBOLS = [
  DIAMOND,
  SQUARE,
  "M0 -1 L1 0.8 H-1 Z",
  "M-1 -0.8 H1 L0 1 Z",
  "M-1 -0.45 H1 V0.45 H-1 Z",
  "M-0.45 -1 H0.45 V1 H-0.45 Z",
];

/** The symbol at an index as an SVG path around the origin; indices wrap around. */
export function symbolAt(index: number): string {
  return SYMBOLS[index % SYMBOLS.length] ?? DIAMOND;
}

/** A five-pointed star. */
const STAR_CORNERS = Array.from({ length: 10 }, (_, corner) => {
  const angle = (corner * Math.PI) / 5;
  const radius = corner % 2 === 0 ? 1.5 : 0.675;
  return `${Math.sin(angle) * radius} ${-Math.cos(angle) * radius}`;
});

/** From the center of a symbol to its corners. */
export const SYMBOL_PX = 5;
/** Room for marks to the right of the last value. */
export const RIGHT_PX = 24;

export function drawMarks(plot: uPlot, marks: readonly ChartMark[], fontPx: number): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(
    bbox.left - 6 * ratio,
    bbox.top - 10 * ratio,
    bbox.width + (6 + RIGHT_PX) * ratio,
    bbox.height + 12 * ratio,
  );
  ctx.clip();
  for (const mark of marks) {
    const x = Math.round(plot.valToPos(mark.x, "x", true));
    if (x < bbox.left - 1 || x > bbox.left + bbox.width + 1) continue;
    if (mark.kind === "evaluation") drawEvaluation(plot, mark, x);
    else if (mark.kind === "skipped") drawCross(plot, x);
    else drawLine(plot, mark.kind, x, fontPx * ratio);
  }
  ctx.restore();
}

const CIRCLE = "M1 0 A1 1 0 0 1 -1 0 A1 1 0 0 1 1 0 Z";
const TWO_BARS = "M-1 -1 h0.7 v2 h-0.7 Z M0.3 -1 h0.7 v2 h-0.7 Z";
/** The symbol is drawn at the top of the line. */
const LINE_LOOKS = {
  checkpoint: { color: "text", share: 0.5, dash: [2, 4], symbol: SQUARE },
  best: { color: "text", share: 0.9, dash: [2, 4], symbol: `M${STAR_CORNERS.join("L")}Z` },
  resume: { color: "yellow", share: 0.9, dash: [6, 3], symbol: "M-1 -1 L1 0 L-1 1 Z" },
  settings: { color: "green", share: 0.9, dash: [8, 3, 2, 3], symbol: CIRCLE },
  code: { color: "purple", share: 0.9, dash: [8, 3, 2, 3], symbol: DIAMOND },
  pause: { color: "text", share: 0.7, dash: [1, 5], symbol: TWO_BARS },
  alarm: { color: "red", share: 0.9, dash: [1, 3], symbol: "M0 -1 L1 1 H-1 Z" },
} as const;

function drawLine({ ctx, bbox }: uPlot, kind: LineMark, x: number, font: number): void {
  const ratio = devicePixelRatio;
  const { color, share, dash, symbol } = LINE_LOOKS[kind];
  ctx.strokeStyle = lineColor(color, share);
  ctx.fillStyle = ctx.strokeStyle;
  ctx.lineWidth = ratio;
  ctx.setLineDash(dash.map((length) => length * ratio));
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.setLineDash([]);
  fillSymbol(ctx, symbol, { x, y: bbox.top, size: font * 0.36 });
}

/** `size` is the distance from the center of the symbol to its corners. */
function fillSymbol(
  ctx: CanvasRenderingContext2D,
  symbol: string,
  { x, y, size }: { readonly x: number; readonly y: number; readonly size: number },
): void {
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(size, size);
  ctx.fill(new Path2D(symbol));
  ctx.restore();
}

function drawCross({ ctx, bbox }: uPlot, x: number): void {
  const size = 3.5 * devicePixelRatio;
  const y = bbox.top + bbox.height - size * 1.8;
  ctx.strokeStyle = lineColor("red");
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x - size, y - size);
  ctx.lineTo(x + size, y + size);
  ctx.moveTo(x - size, y + size);
  ctx.lineTo(x + size, y - size);
  ctx.stroke();
}

function drawEvaluation(
  plot: uPlot,
  { y, low, high, color, symbol, shift }: EvaluationMark,
  middle: number,
): void {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const x = middle + shift * ratio;
  const at = (value: number): number => plot.valToPos(value, "y", true);
  const size = SYMBOL_PX * ratio;
  ctx.strokeStyle = lineColor(color);
  ctx.fillStyle = lineColor(color);
  ctx.lineWidth = 1.5 * ratio;
  ctx.beginPath();
  ctx.moveTo(x, at(low));
  ctx.lineTo(x, at(high));
  for (const edge of [at(low), at(high)]) {
    ctx.moveTo(x - size * 0.6, edge);
    ctx.lineTo(x + size * 0.6, edge);
  }
  ctx.stroke();
  fillSymbol(ctx, symbolAt(symbol), { x, y: at(y), size });
}
