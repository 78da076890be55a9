import { signal } from "@preact/signals";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lenses } from "../../src/core/config/editing/display/lenses.ts";
import { newestRun } from "../../src/host/catalogue/configRun.ts";
import type { EvaluationView } from "../../src/shared/dashboardTypes.ts";
import {
  contrast,
  LEAST_CONTRAST,
  parseColour,
  readableOn,
} from "../../webview-ui/charts/contrast.ts";
import { formatTick, formatXTick } from "../../webview-ui/charts/format.ts";
import { labelledTicks, tickSteps } from "../../webview-ui/charts/ticks.ts";
import { EVALUATION_SIGNS } from "../../webview-ui/controls/chartMarks.ts";
import { firstViewState, type ViewState } from "../../webview-ui/model/viewState.ts";
import { environmentLook } from "../../webview-ui/views/charts/environmentSeries.ts";
import {
  type RewardChartSource,
  rewardChartData,
} from "../../webview-ui/views/charts/rewardChartData.ts";
import { SMALL_CHARTS } from "../../webview-ui/views/charts/smallChartSpecs.ts";
import { THEMES } from "../dashboard/themes.ts";
import { aRun } from "../host/views/runEntries.ts";
import { aRunStore } from "../webview/runStores.ts";

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
  it("has the true values of a row, also where smoothed ones are drawn", () => {
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

  it("has the bands that were chosen", () => {
    const { data } = aSource(REWARDS);
    const view = signal({ ...SMOOTHED, hiddenSeries: ["interval"] });
    const { series, bands } = rewardChartData({ data, view }, null);
    const edge = (key: string) => Array.from(series.find((one) => one.key === key)?.values ?? []);
    expect(bands.map(({ upper }) => upper)).toEqual(["range-upper", "tasks-upper"]);
    expect(edge("range-upper")).toEqual(REWARDS["rollout/reward/max"]);
    expect(edge("range-lower")).toEqual(REWARDS["rollout/reward/min"]);
    expect(edge("tasks-lower")).toEqual([0, 0.8, expect.closeTo(0.142, 9)]);
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
    const named = legend.filter(({ look }) => look === "sign");
    expect(named.map(({ label, latest }) => [label, latest])).toEqual([
      ["evaluation of local/calculator test, 95 % interval", 0.3],
      ["evaluation of local/depot test, 95 % interval", 0.6],
    ]);
    const drawn = marks.flatMap((mark) => (mark.kind === "evaluation" ? [mark] : []));
    expect(drawn.map(({ x, y }) => [x, y])).toEqual([
      [0, 0.3],
      [2, 0.3],
      [0, 0.6],
      [2, 0.6],
    ]);
    expect(new Set(drawn.map(({ sign, colour, shift }) => `${sign} ${colour} ${shift}`)).size).toBe(
      2,
    );
    expect(new Set(EVALUATION_SIGNS.map((sign) => JSON.stringify(sign))).size).toBe(
      EVALUATION_SIGNS.length,
    );
  });
});

describe("colours of lines", () => {
  const names = ["blue", "orange", "green", "purple", "yellow", "red"];
  const lines = THEMES.flatMap(({ name, colours }) =>
    names.map((colour) => [
      name,
      colour,
      colours[`charts-${colour}`],
      colours["editor-background"],
    ]),
  );

  it.each(lines)("have a contrast of 3 in the theme %s: %s", (_, __, line, background) => {
    const [colour, back] = [parseColour(line ?? ""), parseColour(background ?? "")];
    if (colour === null || back === null) throw new Error("The theme names both.");
    for (const share of [1, 0.45]) {
      const drawn = readableOn([...colour.slice(0, 3), colour[3] * share] as never, back);
      expect(contrast(drawn, back)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
    }
  });

  it("have it in any theme, and stay as they are where they have it already", () => {
    const part = fc.integer({ min: 0, max: 255 });
    const anyColour = fc.tuple(part, part, part, fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(anyColour, fc.tuple(part, part, part, fc.constant(1)), (colour, back) => {
        expect(contrast(readableOn(colour, back), back)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
      }),
    );
    expect(readableOn([55, 148, 255, 1], [31, 31, 31, 1])).toEqual([55, 148, 255, 1]);
  });

  it("are never all that distinguishes two lines of a chart", () => {
    const environments = Array.from({ length: 8 }, (_, index) => environmentLook(index));
    expect(new Set(environments.map(({ dash }) => dash.join())).size).toBe(8);
    const many = Array.from({ length: 40 }, (_, index) => JSON.stringify(environmentLook(index)));
    expect(new Set(many).size).toBe(40);
    for (const { title, series } of SMALL_CHARTS) {
      const dashes = series.map(({ dash }) => dash?.join() ?? "");
      expect([title, new Set(dashes).size]).toEqual([title, series.length]);
    }
  });
});

describe("ticks", () => {
  it("of a logarithmic axis keep their labels apart, powers of ten first", () => {
    const ticks = [0.01, 0.1, 1].flatMap((power) =>
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((first) => first * power),
    );
    const pixelOf = (tick: number): number => 200 - 60 * Math.log10(tick / 0.01);
    const end = 0.00873;
    const labels = labelledTicks([end, ...ticks], pixelOf, 18).filter((tick) => tick !== null);
    expect(labels).not.toContain(end);
    expect(labels).toEqual(expect.arrayContaining([0.01, 0.1, 1]));
    const pixels = labels.map(pixelOf).sort((a, b) => a - b);
    for (const [index, pixel] of pixels.slice(1).entries()) {
      expect(pixel - (pixels[index] ?? 0)).toBeGreaterThanOrEqual(18);
    }
  });

  it.each(["wall", "active"] as const)("of %s do not repeat", (axis) => {
    const start = axis === "wall" ? Date.UTC(2026, 1, 3, 21, 0, 0) : 0;
    for (const step of tickSteps(axis) ?? []) {
      const labels = Array.from({ length: 12 }, (_, index) =>
        formatXTick(axis, start + index * step, step),
      );
      expect([step, new Set(labels).size]).toEqual([step, labels.length]);
    }
  });

  it("of values do not repeat", () => {
    const steps = fc
      .constantFrom(1, 2, 2.5, 5)
      .chain((first) => fc.integer({ min: -12, max: 12 }).map((power) => first * 10 ** power));
    fc.assert(
      fc.property(steps, fc.integer({ min: -400, max: 400 }), (step, from) => {
        const labels = Array.from({ length: 8 }, (_, index) =>
          formatTick((from + index) * step, step),
        );
        expect([labels, new Set(labels).size]).toEqual([labels, labels.length]);
      }),
    );
  });
});

it("the line above a configuration pairs a step with its own reward", () => {
  const path = "/projects/tinker-config.yaml";
  const file = { configPath: path } as never; // all that is looked at
  const run = aRun({ steps: 12, totalSteps: 200, reward: 0.63, file });
  const { status } = newestRun([run], path);
  const titles = lenses("model_name: local/tiny-tool\n", { path, status }).map(
    ({ title }) => title,
  );
  expect(titles).toContain("Step 12/200 · 0.63");
});
