import { describe, expect, it } from "vitest";
import {
  type CompareOptions,
  type Curve,
  groupsChart,
  runsChart,
} from "../../../webview-ui/runs/compareData.ts";
import { type RunsLayout, restoreLayout, withChosen } from "../../../webview-ui/runs/layout.ts";
import { runLook } from "../../../webview-ui/runs/runLook.ts";

const OPTIONS: CompareOptions = {
  xAxis: "step",
  smoothing: { kind: "none" },
  isLog: false,
  xRange: null,
  yRange: null,
};

function aCurve(key: string, xs: readonly number[], ys: readonly number[]): Curve {
  const look = { look: "line", color: "blue" } as const;
  return { key, label: key, look, xs: Float64Array.from(xs), ys: Float64Array.from(ys) };
}

const valuesOf = (chart: ReturnType<typeof runsChart>, wanted: string): readonly number[] => [
  ...(chart.series.find(({ key }) => key === wanted)?.values ?? []),
];

describe("a chart of several runs", () => {
  it("draws each run as recorded, over the values of all runs, without filling its gaps", () => {
    const chart = runsChart(
      [aCurve("a", [1, 2, 3, 4], [1, Number.NaN, 3, 4]), aCurve("b", [2, 4, 6], [20, 40, 60])],
      OPTIONS,
    );
    expect([...chart.xs]).toEqual([1, 2, 3, 4, 6]);
    expect(valuesOf(chart, "a")).toEqual([1, Number.NaN, 3, 4, Number.NaN]);
    expect(valuesOf(chart, "b")).toEqual([Number.NaN, 20, 30, 40, 60]);
    expect(chart.xRange).toEqual([1, 6]);
  });

  it("fits the vertical axis to the horizontal zoom", () => {
    const curve = aCurve("a", [1, 2, 3, 4], [100, 1, 2, 3]);
    const { yRange } = runsChart([curve], { ...OPTIONS, xRange: [2, 4] });
    expect(yRange[1]).toBeLessThan(4);
    expect(runsChart([curve], { ...OPTIONS, yRange: [5, 6] }).yRange).toEqual([5, 6]);
  });

  it("draws the mean of a group with its interval, or its lowest and highest value, while all runs have values", () => {
    const curves = [
      aCurve("a", [1, 2, 3], [0, 1, 2]),
      aCurve("b", [1, 2, 3], [2, 1, 4]),
      aCurve("c", [1, 2], [4, 1]),
    ];
    const look = { look: "line", color: "blue" } as const;
    const group = { key: "g", label: "g", look, curves };
    const range = groupsChart([group], "range", OPTIONS);
    expect(valuesOf(range, "g")).toEqual([2, 1, Number.NaN]);
    expect(valuesOf(range, "g-lower")).toEqual([0, 1, Number.NaN]);
    // In very long runs the rows are selected by the first series.
    expect(range.series[0]?.key).toBe("g");
    expect(valuesOf(range, "g-upper")).toEqual([4, 1, Number.NaN]);
    // s = 2, n = 3: t(2) · s / √3 = 4.303 · 2 / √3 = 4.9687.
    const [low] = valuesOf(groupsChart([group], "interval", OPTIONS), "g-lower");
    expect(low).toBeCloseTo(2 - 4.9687, 3);
  });

  it("uses at most 2,000 values on an axis other than steps", () => {
    const xs = Array.from({ length: 3_000 }, (_, index) => index * 1.5);
    const { xs: grid } = runsChart([aCurve("a", xs, xs)], { ...OPTIONS, xAxis: "tokens" });
    expect([grid.length, grid[0], grid.at(-1)]).toEqual([2_000, 0, 2_999 * 1.5]);
  });

  it("keeps each value of a metric that only some steps have on such an axis", () => {
    const xs = Array.from({ length: 3_000 }, (_, index) => index * 1.5);
    const ys = xs.map((_, index) => (index % 10 === 5 ? index : Number.NaN));
    const chart = runsChart([aCurve("a", xs, ys)], { ...OPTIONS, xAxis: "tokens" });
    const known = (values: readonly number[]) => values.filter((value) => !Number.isNaN(value));
    expect(known(valuesOf(chart, "a"))).toEqual(known(ys));
  });
});

describe("the line styles of compared runs", () => {
  it("all differ, even without colors among any six in sequence", () => {
    const looks = Array.from({ length: 12 }, (_, look) => runLook(look));
    expect(new Set(looks.map((look) => JSON.stringify(look))).size).toBe(12);
    for (const start of [0, 6]) {
      const dashes = looks.slice(start, start + 6).map(({ dash }) => String(dash));
      expect(new Set(dashes).size).toBe(6);
    }
  });

  it("stay with their runs when others are added or removed, also in the next window", () => {
    const first = withChosen(restoreLayout(null), ["a", "b", "c"]);
    expect(first.looks).toEqual({ a: 0, b: 1, c: 2 });
    const without = withChosen(first, ["c"]);
    const other = withChosen(restoreLayout(JSON.stringify(without)), ["c", "d", "b"]);
    expect(other.looks).toMatchObject({ c: 2, d: 0, b: 1 });
    const back = withChosen(other, ["c", "d", "b", "a"]);
    expect(new Set(back.chosen.map((id) => back.looks[id])).size).toBe(4);
    const begun = withChosen(first, ["new", "a"]);
    expect(begun.looks).toMatchObject({ a: 0, new: 1 });
  });

  it("have different colors as long as there are enough", () => {
    const colorsOf = ({ chosen, looks }: RunsLayout): string[] =>
      chosen.map((id) => runLook(looks[id] ?? 0).color);
    const nine = withChosen(restoreLayout(null), [..."abcdefghi"]);
    expect(new Set(colorsOf(nine)).size).toBe(6);
    const three = withChosen(nine, ["a", "d", "g"]);
    expect(new Set(colorsOf(three)).size).toBe(3);
    expect(three.looks).toMatchObject({ a: nine.looks["a"], d: nine.looks["d"] });
  });
});
