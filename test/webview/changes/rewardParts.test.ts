import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import { behaviorSeries } from "../../../webview-ui/changes/behaviorSeries.ts";
import { joined, partColumns } from "../../../webview-ui/changes/rewardParts.ts";
import { firstViewState } from "../../../webview-ui/model/viewState.ts";
import { rewardChartData } from "../../../webview-ui/views/charts/rewardChartData.ts";
import { aRunStore } from "../runStores.ts";
import { aBehaviorRow } from "./behaviorRows.ts";

it("draws a curve with its interval and number of rollouts for each split", () => {
  const rows = [
    aBehaviorRow(0, {}, { name: "a hard", mean: 0 }),
    aBehaviorRow(2, { mean: 1 }, { by: "difficulty" }),
  ];
  const data = aRunStore({
    "rollout/reward/mean": [0.1, 0.2, 0.3],
    "rollout/reward/max": [0.6, 1, 1],
  });
  const parts = partColumns(rows, "split", data.columns.steps());
  expect(parts.map(({ label }) => label)).toEqual(["a train", "a hard"]);
  expect(Array.from(parts[0]?.mean ?? [])).toEqual([0.5, Number.NaN, 1]);
  expect(Array.from(parts[1]?.rollouts ?? [])).toEqual([8, Number.NaN, 0]);
  const drawn = rewardChartData({ data, view: signal(firstViewState(0)) }, null, parts);
  const line = drawn.series.find(({ label }) => label === "a train");
  expect(Array.from(line?.values ?? [])).toEqual([0.5, 0.75, 1]);
  const edge = drawn.series.find(({ key }) => key === "part:0-upper");
  // As computed, even beyond the rewards of the step.
  expect(Array.from(edge?.values ?? [])).toEqual([0.75, 0.75, 0.75]);
});

it("a part without a value in a step has a gap there, in the reward chart and in the small ones", () => {
  const hard = { name: "a hard" };
  const rows = [aBehaviorRow(0, {}, hard), aBehaviorRow(1, {}), aBehaviorRow(2, {}, hard)];
  const data = aRunStore({ "rollout/reward/mean": [0.5, 0.5, 0.5] });
  const parts = partColumns(rows, "split", data.columns.steps());
  const { series } = rewardChartData({ data, view: signal(firstViewState(0)) }, null, parts);
  const line = series.find(({ label }) => label === "a hard");
  expect(Array.from(line?.values ?? [])).toEqual([0.5, Number.NaN, 0.5]);
  const small = behaviorSeries(rows).find(({ title }) => title === "Reward: a hard");
  expect(small?.values).toEqual([0.5, null, 0.5]);
});

it("a run whose rollouts are all in one part has no curve for it", () => {
  const rows = [aBehaviorRow(0, {}), aBehaviorRow(1, {})];
  expect(partColumns(rows, "split", Float64Array.of(0, 1))).toEqual([]);
  expect(behaviorSeries(rows).map(({ title }) => title)).not.toContain("Reward: a train");
});

it("joins the values and adds nothing before the first or after the last", () => {
  const values = Float64Array.of(Number.NaN, 1, Number.NaN, 3, Number.NaN);
  expect(Array.from(joined(values))).toEqual([Number.NaN, 1, 2, 3, Number.NaN]);
});
