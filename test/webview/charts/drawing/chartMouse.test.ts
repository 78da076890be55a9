import { describe, expect, it } from "vitest";
import type { ChartMark } from "../../../../webview-ui/charts/drawing/chartMarks.ts";
import { markAt } from "../../../../webview-ui/charts/drawing/chartMouse.ts";

describe("a click on a chart", () => {
  const scales = { x: { min: 0, max: 100 }, y: { min: 0, max: 1 } };
  const plot = {
    scales,
    valToPos: (value: number, axis: string) => (axis === "x" ? value * 10 : 300 - value * 300),
  };
  const mark = (step: number, y: number, shift = 0): ChartMark => ({
    kind: "evaluation",
    x: step,
    y,
    low: y - 0.1,
    high: y + 0.1,
    color: "purple",
    symbol: 0,
    shift,
    cell: { step, environment: "a", split: "test", temperature: 1 },
  });
  const marks = [mark(0, 0.2), mark(40, 0.5), mark(40, 0.5, 9), { kind: "resume", x: 20 } as const];
  const stepAt = (left: number, top: number, all: readonly ChartMark[] = marks) =>
    markAt(plot, all, { left, top })?.cell.step ?? null;

  it("hits the nearest evaluation mark, including its shift", () => {
    expect([stepAt(400, 150), stepAt(405, 153), stepAt(2, 236)]).toEqual([40, 40, 0]);
    expect(markAt(plot, marks, { left: 408, top: 150 })).toBe(marks[2]);
    expect(markAt(plot, marks, { left: 401, top: 150 })).toBe(marks[1]);
  });

  it("hits no mark next to them, of another kind, or hidden by a zoom", () => {
    expect([stepAt(380, 150), stepAt(400, 165), stepAt(200, 150)]).toEqual([null, null, null]);
    expect(stepAt(1_010, 150, [mark(101, 0.5)])).toBeNull();
    expect(stepAt(400, 330, [mark(40, -0.1)])).toBeNull();
  });
});
