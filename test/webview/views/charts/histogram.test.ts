// @vitest-environment happy-dom

import { signal } from "@preact/signals";
import fc from "fast-check";
import { h } from "preact";
import { describe, expect, it } from "vitest";
import type { DashboardModel } from "../../../../webview-ui/model/dashboardModel.ts";
import { firstViewState } from "../../../../webview-ui/model/viewState.ts";
import { Histogram, histogram } from "../../../../webview-ui/views/charts/histogram.tsx";
import { drawn } from "../../drawn.ts";

describe("the histogram of rewards", () => {
  it("counts every value once", () => {
    const reward = fc.double({ min: -5, max: 5, noNaN: true });
    fc.assert(
      fc.property(fc.array(reward), (rewards) => {
        const bins = histogram(rewards);
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(rewards.length);
        expect(bins.length).toBeLessThanOrEqual(12);
      }),
    );
  });

  it("gives each value its own bin when there are few", () => {
    expect(histogram([1, 0, 1, 0.5])).toEqual([
      { low: 0, high: 0, center: 0, count: 1 },
      { low: 0.5, high: 0.5, center: 0.5, count: 1 },
      { low: 1, high: 1, center: 1, count: 2 },
    ]);
  });

  it("bounds each bin by its own values, so that a bar lists what it counts", () => {
    const eighths = Array.from({ length: 25 }, (_, index) => index / 8);
    const bins = histogram(eighths);
    expect(bins).toHaveLength(12);
    for (const { low, high, count } of bins) {
      expect(eighths.filter((reward) => reward >= low && reward <= high)).toHaveLength(count);
    }
    expect(histogram([...eighths, 100])[5]).toEqual({
      low: 45.833333333333336,
      high: 45.833333333333336,
      center: 45.833333333333336,
      count: 0,
    });
  });

  it("shows that rollouts failed, instead of showing none", () => {
    const placeOf = (rewards: readonly null[]) => {
      const rows = rewards.map((reward) => ({ reward }));
      const rollouts = signal({ source: "training", step: 3, rows });
      const view = signal(firstViewState(0));
      const dashboard = { selection: { rollouts }, view } as unknown as DashboardModel; // only the members it reads
      return drawn(h(Histogram, { dashboard })).place;
    };
    expect(placeOf([]).querySelector(".no-data")?.textContent).toBe("No rollouts read yet");
    const place = placeOf([null, null]);
    expect(place.textContent).toContain("2 rollouts failed and have no reward");
    expect(place.querySelector(".no-data")).toBeNull();
  });
});
