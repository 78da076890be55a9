/** Which mark of a chart the mouse is on. */

import type uPlot from "uplot";
import { type ChartMark, type EvaluationMark, SIGN_PX } from "./chartMarks.ts";

/** A click beside a sign is on it as far as this, so that nobody needs to aim. */
const REACH_PX = 3;

/** The mark of an evaluation at a position, in CSS pixels from the corner of what is plotted; the nearest of several, null where there is none. */
export function markAt(
  plot: Pick<uPlot, "valToPos" | "scales">,
  marks: readonly ChartMark[],
  { left, top }: { readonly left: number; readonly top: number },
): EvaluationMark | null {
  let nearest: EvaluationMark | null = null;
  let least = SIGN_PX + REACH_PX;
  for (const mark of marks) {
    if (mark.kind !== "evaluation" || !isWithin(plot, "x", mark.x)) continue;
    if (!isWithin(plot, "y", mark.y)) continue;
    const right = plot.valToPos(mark.x, "x") + mark.shift - left;
    const distance = Math.hypot(right, plot.valToPos(mark.y, "y") - top);
    if (distance > least) continue;
    nearest = mark;
    least = distance;
  }
  return nearest;
}

function isWithin({ scales }: Pick<uPlot, "scales">, axis: "x" | "y", value: number): boolean {
  const { min, max } = scales[axis] ?? {};
  return value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
}
