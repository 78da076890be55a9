import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ColumnStore } from "../../../webview-ui/charts/columns.ts";
import { hasAxis, X_AXES, xAfterSteps, xValues } from "../../../webview-ui/charts/xAxis.ts";

function filled(columns: Readonly<Record<string, readonly number[]>>): ColumnStore {
  const store = new ColumnStore();
  const { step = [], ...others } = columns;
  store.append({
    rows: step.length,
    steps: { name: "step", fromRow: 0, values: Float64Array.from(step) },
    columns: Object.entries(others).map(([name, values]) => ({
      name,
      fromRow: 0,
      values: Float64Array.from(values),
    })),
  });
  return store;
}

describe("the columns of a page", () => {
  it("are assembled from parts of any size and order", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(sizes, sizes, (stepSizes, valueSizes) => {
        const rows = stepSizes.reduce((sum, size) => sum + size, 0);
        const store = new ColumnStore();
        let at = 0;
        for (const size of stepSizes) {
          const values = Float64Array.from({ length: size }, (_, index) => at + index);
          store.append({ rows, steps: { name: "step", fromRow: at, values }, columns: [] });
          at += size;
        }
        at = 0;
        for (const size of valueSizes) {
          const values = Float64Array.from(
            { length: Math.min(size, rows - at) },
            (_, index) => 2 * (at + index),
          );
          store.append({ rows, steps: null, columns: [{ name: "twice", fromRow: at, values }] });
          at += values.length;
        }
        expect(store.rows).toBe(rows);
        const twice = store.values("twice");
        expect(Array.from(twice.subarray(0, at))).toEqual(
          Array.from({ length: at }, (_, row) => 2 * row),
        );
        expect(Array.from(twice.subarray(at)).every(Number.isNaN)).toBe(true);
      }),
    );
  });

  it("are all gaps for a name that was never received", () => {
    expect(Array.from(filled({ step: [0, 1] }).values("nothing"))).toEqual([
      Number.NaN,
      Number.NaN,
    ]);
  });

  it("restart after a resume", () => {
    const store = filled({ step: [0, 1, 2], loss: [1, 2, 3] });
    store.reset(["loss"]);
    expect([store.rows, store.at("loss", 0), store.names]).toEqual([0, null, ["loss"]]);
  });

  it("are requested when first shown, in one message for everything drawn at once", async () => {
    const asked: (readonly string[])[] = [];
    const store = new ColumnStore((names) => asked.push(names));
    store.reset(["loss", "reward", "other"]);
    expect([store.has("loss"), store.has("unknown")]).toEqual([true, false]);
    store.values("loss");
    store.at("reward", 0);
    store.values("loss");
    await Promise.resolve();
    expect(asked).toEqual([["loss", "reward"]]);
    store.append({ rows: 0, names: ["late"], steps: null, columns: [] });
    expect(store.names).toEqual(["loss", "reward", "other", "late"]);
  });
});

describe("the horizontal axis", () => {
  const columns = filled({
    step: [0, 1, 2, 3],
    "time/total_s": [10, Number.NaN, 20, 5],
    "tokens/cumulative/trained": [100, Number.NaN, 250, 300],
    "progress/attempt": [1, 1, 2, 2],
  });
  const event = {
    timeMs: 1_000_000,
    attempt: 1,
    step: 0,
    level: "info",
    kind: "run-started",
    message: "",
  } as const;

  it("counts steps from 1, sums seconds and tokens, and never decreases", () => {
    expect(Array.from(xValues("step", columns, []))).toEqual([1, 2, 3, 4]);
    expect(Array.from(xValues("active", columns, []))).toEqual([10, 10, 30, 35]);
    expect(Array.from(xValues("tokens", columns, []))).toEqual([100, 100, 250, 300]);
  });

  it("is available if the run has recorded its values", () => {
    const store = new ColumnStore();
    store.reset(["time/total_s"]);
    const offered = (events: readonly (typeof event)[]) =>
      X_AXES.filter((axis) => hasAxis(axis, store, events));
    expect(offered([event])).toEqual(["step", "wall", "active"]);
    expect(offered([])).toEqual(["step", "active"]);
  });

  it("places an attempt at the time when it started", () => {
    const resumed = { ...event, attempt: 2, timeMs: 5_000_000, step: 2 };
    expect(Array.from(xValues("wall", columns, [event, resumed]))).toEqual([
      1_010_000, 1_010_000, 5_020_000, 5_025_000,
    ]);
  });

  it("places the steps after a pause behind its end", () => {
    const pause = { ...event, step: 1, kind: "run-paused", timeMs: 1_011_000 };
    const end = { ...event, step: 1, kind: "run-continued", timeMs: 2_000_000 };
    const resumed = { ...event, attempt: 2, timeMs: 5_000_000, step: 2 };
    expect(Array.from(xValues("wall", columns, [event, pause, end, resumed]))).toEqual([
      1_010_000, 2_000_000, 5_020_000, 5_025_000,
    ]);
  });

  it("places an event that happened after some steps", () => {
    const steps = columns.steps();
    const xs = xValues("active", columns, []);
    expect(xAfterSteps(0, steps, xs)).toBeNull();
    expect(xAfterSteps(3, steps, xs)).toBe(30);
  });
});
