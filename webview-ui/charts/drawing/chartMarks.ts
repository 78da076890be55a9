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

/** Corners of the signs of evaluations around their middle, as SVG writes points, each within -1 to 1. */
const SIGNS = [
  "0 -1, 1 0, 0 1, -1 0",
  "-0.8 -0.8, 0.8 -0.8, 0.8 0.8, -0.8 0.8",
  "0 -1, 1 0.8, -1 0.8",
  "-1 -0.8, 1 -0.8, 0 1",
  "-1 -0.45, 1 -0.45, 1 0.45, -1 0.45",
  "-0.45 -1, 0.45 -1, 0.45 1, -0.45 1",
];

/** The corners of the sign at an index, from the middle of the sign on. */
export function signAt(index: number): readonly (readonly [right: number, down: number])[] {
  const points = (SIGNS[index % SIGNS.length] ?? "").split(", ");
  return points.map((point) => {
    const [right = 0, down = 0] = point.split(" ").map(Number);
    return [right, down];
  });
}

/** Corners of a star with five points around its middle. */
const STAR = Array.from({ length: 10 }, (_, corner) => {
  const angle = (corner * Math.PI) / 5;
  const radius = corner % 2 === 0 ? 1 : 0.45;
  return [Math.sin(angle) * radius, -Math.cos(angle) * radius] as const;
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

const LINE_LOOKS = {
  checkpoint: { color: "text", share: 0.5, dash: [2, 4] },
  best: { color: "text", share: 0.9, dash: [2, 4] },
  resume: { color: "yellow", share: 0.9, dash: [6, 3] },
  settings: { color: "green", share: 0.9, dash: [8, 3, 2, 3] },
  code: { color: "purple", share: 0.9, dash: [8, 3, 2, 3] },
  pause: { color: "text", share: 0.7, dash: [1, 5] },
  alarm: { color: "red", share: 0.9, dash: [1, 3] },
} as const;

function drawLine({ ctx, bbox }: uPlot, kind: LineMark, x: number, font: number): void {
  const ratio = devicePixelRatio;
  const { color, share, dash } = LINE_LOOKS[kind];
  ctx.strokeStyle = lineColor(color, share);
  ctx.fillStyle = ctx.strokeStyle;
  ctx.lineWidth = ratio;
  ctx.setLineDash(dash.map((length) => length * ratio));
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.setLineDash([]);
  const size = font * 0.36;
  ctx.beginPath();
  if (kind === "resume") {
    ctx.moveTo(x - size, bbox.top - size);
    ctx.lineTo(x + size, bbox.top);
    ctx.lineTo(x - size, bbox.top + size);
  } else if (kind === "alarm") {
    ctx.moveTo(x, bbox.top - size);
    ctx.lineTo(x + size, bbox.top + size);
    ctx.lineTo(x - size, bbox.top + size);
  } else if (kind === "settings") ctx.arc(x, bbox.top, size, 0, 2 * Math.PI);
  else if (kind === "code") {
    ctx.moveTo(x, bbox.top - size);
    ctx.lineTo(x + size, bbox.top);
    ctx.lineTo(x, bbox.top + size);
    ctx.lineTo(x - size, bbox.top);
  } else if (kind === "pause") {
    ctx.rect(x - size, bbox.top - size, size * 0.7, size * 2);
    ctx.rect(x + size * 0.3, bbox.top - size, size * 0.7, size * 2);
  } else if (kind === "best") {
    for (const [right, down] of STAR)
      ctx.lineTo(x + right * size * 1.5, bbox.top + down * size * 1.5);
  } else ctx.rect(x - size * 0.8, bbox.top - size * 0.8, size * 1.6, size * 1.6);
  ctx.fill();
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
  ctx.beginPath();
  for (const [right, down] of signAt(sign)) {
    ctx.lineTo(x + right * size, at(y) + down * size);
  }
  ctx.closePath();
  ctx.fill();
}
