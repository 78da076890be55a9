import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { firstViewState } from "../../../../webview-ui/model/viewState.ts";
import { rewardChartData } from "../../../../webview-ui/views/charts/rewardChartData.ts";
import { aRunStore } from "../../runStores.ts";

/** Edges of the bands of a step whose rollouts all succeeded, and of one with both. */
function edgesOf(key: string): readonly (readonly number[])[] {
  const data = aRunStore({
    "rollout/reward/mean": [1, 0.5],
    "rollout/reward/min": [1, 0],
    "rollout/reward/max": [1, 1],
    "rollout/reward/group_std": [0, 0.75],
    "rollout/reward/ci_low": [0.28, 0.25],
    "rollout/reward/ci_high": [1, 0.75],
  });
  const view = signal({ ...firstViewState(0), hiddenSeries: [] });
  const { series } = rewardChartData({ data, view }, null);
  return ["lower", "upper"].map((edge) => [
    ...(series.find((each) => each.key === `${key}-${edge}`)?.values ?? []),
  ]);
}

test("the 95 % interval is drawn as it is, also where all rewards of a step are equal", () => {
  expect(edgesOf("interval")).toEqual([
    [0.28, 0.25],
    [1, 0.75],
  ]);
});

test("the band of one standard deviation ends at the lowest and the highest reward of its step", () => {
  expect(edgesOf("tasks")).toEqual([
    [1, 0],
    [1, 1],
  ]);
});
