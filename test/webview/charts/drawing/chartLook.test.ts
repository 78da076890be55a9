import type uPlot from "uplot";
import { expect, it } from "vitest";
import { seriesOptions } from "../../../../webview-ui/charts/drawing/chartLook.ts";

it("a metric that only some steps have is drawn as points, but never the edge of a band", () => {
  const pointsOf = (share: number): readonly number[] | null | undefined => {
    const look = { key: "a", label: "a", values: new Float64Array(), color: "blue" } as const;
    const { filter } = seriesOptions({ ...look, share, width: 1 }).points ?? {};
    const plot = {
      data: [
        [0, 1, 2, 3, 4],
        [0.5, null, null, 0.7, null],
      ],
    } as unknown as uPlot; // only the members it reads
    return typeof filter === "function" ? filter(plot, 1, false, null) : filter;
  };
  expect(pointsOf(1)).toEqual([0, 3]);
  expect(pointsOf(0)).toBeNull();
});
