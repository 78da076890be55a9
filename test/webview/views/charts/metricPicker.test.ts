import { expect, it } from "vitest";
import { byFamily } from "../../../../webview-ui/views/charts/metricPicker.tsx";
import { drawnCharts } from "../../../../webview-ui/views/charts/smallChartSpecs.ts";

it("metrics are listed by what stands before their first slash", () => {
  expect([...byFamily(["a/b", "loss", "a/c/d"])]).toEqual([
    ["a", ["a/b", "a/c/d"]],
    ["", ["loss"]],
  ]);
});

it("of a run by another program the metrics without a usual chart are drawn, too", () => {
  const names = ["loss", "rollout/reward/mean", "train/acc", "chosen"];
  const titles = (isForeign: boolean): readonly string[] =>
    drawnCharts(names, { chosen: ["chosen"], isForeign }).charts.map(({ title }) => title);
  expect(titles(false)).toEqual(["chosen", "Loss"]);
  expect(titles(true)).toEqual(["chosen", "Loss", "train/acc"]);
  expect([...drawnCharts(names, { chosen: [], isForeign: false }).unasked]).toEqual([
    "rollout/reward/mean",
    "loss",
  ]);
});

it("charts stand in sections, those that were added first", () => {
  const names = ["loss", "rollout/turns/mean", "time/train_s", "own", "train/acc"];
  const { charts } = drawnCharts(names, { chosen: ["own"], isForeign: true });
  expect(charts.map(({ title, section }) => [title, section])).toEqual([
    ["own", "added"],
    ["Turns", "reward"],
    ["Loss", "optimization"],
    ["Seconds per step", "time"],
    ["train/acc", "others"],
  ]);
});
