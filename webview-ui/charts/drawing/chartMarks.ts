/** What is drawn over a chart beside its lines: checkpoints, resumes, other settings, pauses, skipped steps, evaluations. */

import type uPlot from "uplot";
import type { EvaluatedCell } from "../../model/evaluationCell.ts";
import { type ColorName, lineColor } from "./palette.ts";

export type LineMark = "checkpoint" | "best" | "resume" | "settings" | "code" | "pause" | "alarm";

export type ChartMark =
  /** A line from top to bottom with a letter. */
  | { readonly kind: LineMark; readonly x: number }
  /** A cross at the bottom. */
  | { readonly kind: "skipped"; readonly x: number }
  /** A sign with the bounds of its interval. */
  | {
      readonly kind: "evaluation";
      readonly x: number;
      readonly y: number;
      readonly low: number;
      readonly high: number;
      readonly color: ColorName;
      /** Which of the signs. */
      readonly sign: number;
      /** In pixels to the right, so that those of one step do not hide each other. */
      readonly shift: number;
      /** What a click on it opens. */
      readonly cell: EvaluatedCell;
    };

export type EvaluationMark = Extract<ChartMark, { readonly kind: "evaluation" }>;

const DIAMOND = "M0 -1 L1 0 L0 1 L-1 0 Z";
const SQUARE = "M-0.8 -0.8 H0.8 V0.8 H-0.8 Z";
/** Signs of evaluations, as SVG writes paths, around their middle and within -1 to 1. */
const SIGNS = [
  DIAMOND,
  SQUARE,
  "M0 -1 L1 0.8 H-1 Z",
  "M-1 -0.8 H1 L0 1 Z",
  "M-1 -0.45 H1 V0.45 H-1 Z",
  "M-0.45 -1 H0.45 V1 H-0.45 Z",
];

/** The path of the sign at an index, from the middle of the sign on. */
export function signAt(index: number): string {
  return SIGNS[index % SIGNS.length] ?? DIAMOND;
}

/** With five points. */
const STAR_CORNERS = Array.from({ length: 10 }, (_, corner) => {
  const angle = (corner * Math.PI) / 5;
  const radius = corner % 2 === 0 ? 1.5 : 0.675;
  return `${Math.sin(angle) * radius} ${-Math.cos(angle) * radius}`;
});

/** From the middle of a sign to its corners. */
export const SIGN_PX = 5;
/** Width beside the last value that marks may fill. */
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
/** The sign stands at the upper end of the line. */
const LINE_LOOKS = {
  checkpoint: { color: "text", share: 0.5, dash: [2, 4], sign: SQUARE },
  best: { color: "text", share: 0.9, dash: [2, 4], sign: `M${STAR_CORNERS.join("L")}Z` },
  resume: { color: "yellow", share: 0.9, dash: [6, 3], sign: "M-1 -1 L1 0 L-1 1 Z" },
  settings: { color: "green", share: 0.9, dash: [8, 3, 2, 3], sign: CIRCLE },
  code: { color: "purple", share: 0.9, dash: [8, 3, 2, 3], sign: DIAMOND },
  pause: { color: "text", share: 0.7, dash: [1, 5], sign: TWO_BARS },
  alarm: { color: "red", share: 0.9, dash: [1, 3], sign: "M0 -1 L1 1 H-1 Z" },
} as const;

function drawLine({ ctx, bbox }: uPlot, kind: LineMark, x: number, font: number): void {
  const ratio = devicePixelRatio;
  const { color, share, dash, sign } = LINE_LOOKS[kind];
  ctx.strokeStyle = lineColor(color, share);
  ctx.fillStyle = ctx.strokeStyle;
  ctx.lineWidth = ratio;
  ctx.setLineDash(dash.map((length) => length * ratio));
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.setLineDash([]);
  fillSign(ctx, sign, { x, y: bbox.top, size: font * 0.36 });
}

/** `size` is from the middle of the sign to its corners. */
function fillSign(
  ctx: CanvasRenderingContext2D,
  sign: string,
  { x, y, size }: { readonly x: number; readonly y: number; readonly size: number },
): void {
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(size, size);
  ctx.fill(new Path2D(sign));
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
  { y, low, high, color, sign, shift }: EvaluationMark,
  middle: number,
): void {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const x = middle + shift * ratio;
  const at = (value: number): number => plot.valToPos(value, "y", true);
  const size = SIGN_PX * ratio;
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
  fillSign(ctx, signAt(sign), { x, y: at(y), size });
}
