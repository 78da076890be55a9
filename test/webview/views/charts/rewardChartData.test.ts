import { signal } from "@preact/signals";
import { describe, expect, it, test } from "vitest";
import type { EvaluationView, EventView, RunView } from "../../../../src/shared/dashboardTypes.ts";
import type { SeriesLook } from "../../../../webview-ui/charts/drawing/chartData.ts";
import { symbolAt } from "../../../../webview-ui/charts/drawing/chartMarks.ts";
import { firstViewState, type ViewState } from "../../../../webview-ui/model/viewState.ts";
import { evaluationSeries } from "../../../../webview-ui/views/charts/evaluationSeries.ts";
import {
  type RewardChartSource,
  rewardChartData,
} from "../../../../webview-ui/views/charts/rewardChartData.ts";
import { aRunStore } from "../../runStores.ts";

/** Edges of the bands of a step whose rollouts all succeeded, and of one with both outcomes. */
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

test("the 95% confidence interval is drawn unchanged, even if all rewards of a step are equal", () => {
  expect(edgesOf("interval")).toEqual([
    [0.28, 0.25],
    [1, 0.75],
  ]);
});

test("the one-standard-deviation band ends at the lowest and the highest reward of its step", () => {
  expect(edgesOf("tasks")).toEqual([
    [1, 0],
    [1, 1],
  ]);
});

const SMOOTHED: ViewState = { ...firstViewState(0), smoothing: { kind: "ema", factor: 0.6 } };

function aSource(
  columns: Readonly<Record<string, readonly number[]>>,
  evaluations: readonly EvaluationView[] = [],
): RewardChartSource {
  return { data: aRunStore(columns, { evaluations }), view: signal(SMOOTHED) };
}

const REWARDS = {
  "rollout/reward/mean": [0.1, 0.9, 0.242],
  "rollout/reward/ci_low": [-0.1, 0.8, 0.2],
  "rollout/reward/ci_high": [0.2, 0.9, 0.3],
  "rollout/reward/group_std": [0.1, 0.1, 0.1],
  "rollout/reward/min": [0, 0, 0],
  "rollout/reward/max": [1, 1, 1],
  "rollout/env/calculator/reward/mean": [0.2, 0.8, 0.3],
  "rollout/env/depot/reward/mean": [0, 1, 0.184],
};

function result(environment: string, rewardMean: number, temperature = 1) {
  const interval = { low: rewardMean - 0.1, high: rewardMean + 0.1 };
  return {
    environment,
    split: "test",
    temperature,
    rollouts: 8,
    rewardMean,
    failed: 0,
    passAtK: [],
    ...interval,
  };
}

describe("the reward chart", () => {
  it("shows the true values of a row, even if smoothed ones are drawn", () => {
    const { mean, smoothed, legend, series, bands } = rewardChartData(aSource(REWARDS), null);
    expect(Array.from(mean)).toEqual(REWARDS["rollout/reward/mean"]);
    expect(smoothed?.[2]).not.toBeCloseTo(0.242, 2);
    const values = Object.fromEntries(legend.map(({ label, values: own }) => [label, own?.[2]]));
    expect(values).toMatchObject({ mean: 0.242, calculator: 0.3, depot: 0.184 });
    const edge = (key: string) => Array.from(series.find((one) => one.key === key)?.values ?? []);
    expect(bands.map(({ upper }) => upper)).toEqual(["interval-upper"]);
    expect(edge("interval-upper")).toEqual([0.2, 0.9, 0.3]);
    expect(edge("interval-lower")).toEqual([-0.1, 0.8, 0.2]);
  });

  it("has the selected bands", () => {
    const { data } = aSource(REWARDS);
    const view = signal({ ...SMOOTHED, hiddenSeries: ["interval"] });
    const { series, bands } = rewardChartData({ data, view }, null);
    const edge = (key: string) => Array.from(series.find((one) => one.key === key)?.values ?? []);
    expect(bands.map(({ upper }) => upper)).toEqual(["range-upper", "tasks-upper"]);
    expect(edge("range-upper")).toEqual(REWARDS["rollout/reward/max"]);
    expect(edge("range-lower")).toEqual(REWARDS["rollout/reward/min"]);
    expect(edge("tasks-lower")).toEqual([0, 0.8, expect.closeTo(0.142, 9)]);
  });

  it("is drawn over steps, with its marks, if the run has not recorded the selected axis", () => {
    const results = [result("local/calculator", 0.3)];
    const { data } = aSource(REWARDS, [{ step: 2, results }]);
    const view = signal<ViewState>({ ...SMOOTHED, xAxis: "cost" });
    const { xAxis, xs, marks } = rewardChartData({ data, view }, null);
    expect([xAxis, [...xs], marks.map(({ x }) => x)]).toEqual(["step", [1, 2, 3], [2]]);
  });

  it("is not empty before the first step where an evaluation is hidden, so that the legend can show it", () => {
    const { data } = aSource({}, [{ step: 0, results: [result("local/calculator", 0.3)] }]);
    const hiddenSeries = evaluationSeries(data).map(({ key }) => key);
    const view = signal<ViewState>({ ...SMOOTHED, hiddenSeries });
    const { isEmpty, marks } = rewardChartData({ data, view }, null);
    expect([isEmpty, marks]).toEqual([false, []]);
    expect(rewardChartData(aSource({}), null).isEmpty).toBe(true);
  });

  it("has a named mark for the evaluation of each environment", () => {
    const evaluations = [0, 2].map((step) => ({
      step,
      results: [
        result("local/calculator", 0.2, 0),
        result("local/calculator", 0.3),
        result("local/depot", 0.6),
      ],
    }));
    const { legend, marks } = rewardChartData(aSource(REWARDS, evaluations), null);
    const named = legend.filter(({ look }) => look === "symbol");
    expect(named.map(({ label, latest }) => [label, latest])).toEqual([
      ["evaluation of local/calculator test, temperature 1, 95% confidence interval", 0.3],
      ["evaluation of local/depot test, temperature 1, 95% confidence interval", 0.6],
    ]);
    expect(named.map(({ values }) => [...(values ?? [])])).toEqual([
      [Number.NaN, 0.3, Number.NaN],
      [Number.NaN, 0.6, Number.NaN],
    ]);
    const drawn = marks.flatMap((mark) => (mark.kind === "evaluation" ? [mark] : []));
    expect(drawn.map(({ x, y }) => [x, y])).toEqual([
      [0, 0.3],
      [2, 0.3],
      [0, 0.6],
      [2, 0.6],
    ]);
    expect(
      new Set(drawn.map(({ symbol, color, shift }) => `${symbol} ${color} ${shift}`)).size,
    ).toBe(2);
    const symbols = Array.from({ length: 6 }, (_, index) => symbolAt(index));
    expect(new Set(symbols).size).toBe(6);
  });
});

describe("the curve of an evaluated split", () => {
  const linesOf = (source: RewardChartSource) =>
    rewardChartData(source, null).legend.filter(({ key }) => key.startsWith("env:"));
  const look = ({ color, dash }: SeriesLook): string => `${color} ${dash}`;

  it("looks like the curve of its environment, whatever was evaluated first", () => {
    const results = [result("local/depot", 0.6), result("local/calculator", 0.3)];
    const source = aSource(REWARDS, [{ step: 2, results }]);
    const lines = linesOf(source).map(look);
    expect(evaluationSeries(source.data).map(look)).toEqual(lines.toReversed());
  });

  it("uses the training temperature, not the highest", () => {
    const results = [0, 0.7, 1.5].map((at) => result("local/calculator", at / 2, at));
    const run = { trainedAt: { "local/calculator": 1 } } as unknown as RunView; // only the members it reads
    const data = aRunStore(REWARDS, { evaluations: [{ step: 2, results }], run });
    expect(evaluationSeries(data)).toMatchObject([{ temperature: 0.7, points: [{ y: 0.35 }] }]);
  });

  it("differs by dashes from another split, and by color from the training environments", () => {
    const results = ["validation", "test"].flatMap((split) =>
      ["local/calculator", "local/other"].map((name) => ({ ...result(name, 0.5), split })),
    );
    const source = aSource(REWARDS, [{ step: 2, results }]);
    const found = evaluationSeries(source.data);
    expect(new Set(found.map(({ dash }) => String(dash))).size).toBe(4);
    const [calculator, other, calculatorTest] = found.map(({ color }) => color);
    expect(calculatorTest).toBe(calculator);
    expect(linesOf(source).map(({ color }) => color)).not.toContain(other);
  });
});

function event(kind: string, step: number | null): EventView {
  return { kind, step, timeMs: 1_000, attempt: 1, level: "info", message: "" };
}

function markedASource(events: readonly EventView[]): RewardChartSource {
  const steps = Array.from({ length: 10 }, (_, step) => step);
  const data = aRunStore({ "rollout/reward/mean": steps }, { events });
  return { data, view: signal(firstViewState(0)) };
}

it("changed settings and pauses, including a full environment, are marked where they took effect", () => {
  const { marks } = rewardChartData(
    markedASource([
      event("run-started", 0),
      event("run-paused", 3),
      event("run-continued", 3),
      event("settings-changed", 3),
      event("capacity-paused", 6),
      event("settings-changed", null),
    ]),
    null,
  );
  expect(marks).toEqual([
    { kind: "settings", x: 3 },
    { kind: "pause", x: 3 },
    { kind: "pause", x: 6 },
  ]);
});
