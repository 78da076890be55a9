// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import { SweepView } from "../../../webview-ui/runs/sweepView.tsx";
import { drawn } from "../drawn.ts";
import { aRow } from "./rows.ts";
import { aRunsPage } from "./runsPages.ts";

function sweepOf(seed: number) {
  const settings = { seed: String(seed) };
  return { id: "s", name: "sweep", settings, isStages: false, hasLeft: false };
}

/** Runs in table order; `key` is the column that they are compared by. */
function namesBy(key: string, results: Readonly<Record<string, number | null>>) {
  const { runs, list } = aRunsPage();
  const rows = Object.entries(results).map(([id, result], index) => ({
    ...aRow(id, 1, index, result),
    fit: result === null ? null : { now: result, heldOut: null },
    sweep: sweepOf(index),
    digest: {
      best: null,
      mean: null,
      seconds: 1,
      metrics: result === null ? {} : { loss: result },
      alarms: 0,
      evaluations: {},
    },
  }));
  list(rows);
  runs.update({ sweep: "s", sweepMetric: key });
  const { place } = drawn(h(SweepView, { runs }));
  return [...place.querySelectorAll(".sweep-table tbody th")].map((cell) => cell.textContent);
}

it("lists the highest reward first, and the lowest loss first", () => {
  const results = { middle: 0.5, none: null, low: 0.1, high: 0.9 };
  expect(namesBy("reward.last", results)).toEqual(["high", "middle", "low", "none"]);
  expect(namesBy("loss", results)).toEqual(["low", "middle", "high", "none"]);
  expect(namesBy("mean_loss", results)).toEqual(["low", "middle", "high", "none"]);
});

it("starts with the result that terminals compare by, selected in the list and named below it", () => {
  const { runs, list } = aRunsPage();
  const rows = ["a", "b"].map((id, index) => ({
    ...aRow(id, 1, index, 0.5),
    swept: { recentReward: 0.5, evaluated: [] },
    sweep: sweepOf(index),
  }));
  list(rows);
  runs.update({ sweep: "s" });
  const { place } = drawn(h(SweepView, { runs }));
  expect(place.querySelector("option")?.textContent).toBe("Reward of the last 5 steps");
  expect(place.querySelector(".sweep-answer")?.textContent).toContain(
    "Runs are compared by the mean reward of the last 5 steps.",
  );
});
