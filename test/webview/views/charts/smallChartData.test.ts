import { describe, expect, it } from "vitest";
import { smooth } from "../../../../webview-ui/charts/smoothing.ts";
import { firstViewState, type ViewState } from "../../../../webview-ui/model/viewState.ts";
import { describeRow, smallChartData } from "../../../../webview-ui/views/charts/smallChartData.ts";
import {
  oneMetric,
  type SmallChartSpec,
} from "../../../../webview-ui/views/charts/smallChartSpecs.ts";
import { aRunStore } from "../../runStores.ts";

const LOSS = [0.1, 0.9, 0.242];
const SMOOTHING = { kind: "ema", factor: 0.6 } as const;
const VIEW: ViewState = { ...firstViewState(0), smoothing: SMOOTHING };
const SPEC: SmallChartSpec = {
  ...oneMetric("Loss", "loss", "purple"),
  band: { upper: "loss/max", lower: "loss/min" },
};
const RUN = aRunStore({ loss: LOSS, "loss/max": [1, 2, 3], "loss/min": [0, 0, 0.1] });

function drawn({ chart }: ReturnType<typeof smallChartData>, key: string): readonly number[] {
  return [...(chart.series.find((series) => series.key === key)?.values ?? [])];
}

describe("a small chart", () => {
  it("smooths its line if selected, keeps its values, and shows the raw values behind it", () => {
    const data = smallChartData(RUN, VIEW, SPEC);
    expect(drawn(data, "loss")).toEqual([...smooth(LOSS, SMOOTHING)]);
    expect(drawn(data, "loss")).not.toEqual(LOSS);
    expect(data.drawn.map((values) => [...values])).toEqual([drawn(data, "loss")]);
    expect(drawn(data, "raw loss")).toEqual(LOSS);
    expect(data.raw.map((values) => [...values])).toEqual([LOSS]);
    expect(describeRow(data, SPEC, 1)).toMatch(/Loss 0\.9\d*, smoothed 0\.[1-8]/);
  });

  it("shades from the lowest to the highest raw value, not smoothed ones", () => {
    const data = smallChartData(RUN, VIEW, SPEC);
    expect([drawn(data, "range-upper"), drawn(data, "range-lower")]).toEqual([
      [1, 2, 3],
      [0, 0, 0.1],
    ]);
    expect(data.chart.bands).toMatchObject([{ upper: "range-upper", lower: "range-lower" }]);
  });

  it("draws raw values once if nothing is smoothed", () => {
    const view = firstViewState(0);
    const data = smallChartData(RUN, view, SPEC);
    expect(data.chart.series.map(({ key }) => key)).toEqual(["range-upper", "range-lower", "loss"]);
    expect(drawn(data, "loss")).toEqual(LOSS);
    expect(describeRow(data, SPEC, 1)).not.toContain("smoothed");
  });

  it("is drawn over steps if the run has not recorded the selected axis", () => {
    const data = smallChartData(RUN, { ...VIEW, xAxis: "wall" }, SPEC);
    expect([...data.chart.xs]).toEqual([1, 2, 3]);
    expect(data.chart.formatX(2, 1)).toBe("2");
    expect(describeRow(data, SPEC, 1)).toContain("step 2:");
  });

  it("has ticks on whole numbers only for counts, and only if one is in view", () => {
    const isWhole = (values: readonly number[], spec: Partial<SmallChartSpec> = {}) => {
      const run = aRunStore({ turns: values, max: [2, 3, 3], min: [1, 1, 2] });
      const one = oneMetric("Turns", "turns", "blue");
      return smallChartData(run, firstViewState(0), { ...one, ...spec }).chart.isWhole;
    };
    expect(isWhole([1, 2, 2])).toBe(true);
    expect(isWhole([Number.NaN, 2, 2])).toBe(true);
    expect(isWhole([1, 1.5, 2])).toBe(false);
    expect(isWhole([1.2, 1.5, 1.8], { band: { upper: "max", lower: "min" } })).toBe(true);
  });

  it("has no lines of raw values if it draws several series", () => {
    const series = ["time/rollout_s", "time/train_s"].map((name) => {
      return { name, label: name, color: "blue" } as const;
    });
    const run = aRunStore({ "time/rollout_s": [1, 5], "time/train_s": [2, 9] });
    const data = smallChartData(run, VIEW, { title: "Time", series });
    expect(data.chart.series.map(({ key }) => key)).toEqual(["time/rollout_s", "time/train_s"]);
    expect(data.raw.map((values) => [...values])).toEqual([
      [1, 5],
      [2, 9],
    ]);
  });
});
