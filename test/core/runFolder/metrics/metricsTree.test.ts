import { describe, expect, it } from "vitest";
import {
  eachMetric,
  FlatNames,
  flattenMetrics,
  type MetricsTree,
} from "../../../../src/core/runFolder/metrics/metricsTree.ts";

function namesIn(tree: MetricsTree, names: FlatNames): readonly string[] {
  const found: string[] = [];
  eachMetric(tree, names, (name) => found.push(name));
  return found;
}

describe("flat metric names", () => {
  it("join the branch names with a slash", () => {
    expect(flattenMetrics({ step: 1, rollout: { reward: { mean: 0.5 }, count: 2 } })).toEqual({
      step: 1,
      "rollout/reward/mean": 0.5,
      "rollout/count": 2,
    });
  });

  it("are specific to each row, whatever earlier rows had", () => {
    const names = new FlatNames();
    const rows: readonly MetricsTree[] = [
      { a: { b: 1 }, c: 2 },
      { a: 1, c: { b: 2 } },
      { a: { c: 3 } },
      { a: { b: 1 }, c: 2 },
    ];
    for (const row of rows) expect(namesIn(row, names)).toEqual(Object.keys(flattenMetrics(row)));
  });

  it("are correct beyond the number of cached names", () => {
    const names = new FlatNames("", { left: 3 });
    const row = { a: { b: 1, c: 2 }, d: { e: { f: 3 } }, g: 4 };
    for (const _ of [1, 2]) {
      expect(namesIn(row, names)).toEqual(["a/b", "a/c", "d/e/f", "g"]);
    }
  });

  it("omit names that are too long", () => {
    expect(
      flattenMetrics({ [`${"x".repeat(1_001)}`]: 1, y: { ["z".repeat(998)]: 2, z: 3 } }),
    ).toEqual({
      [`y/${"z".repeat(998)}`]: 2,
      "y/z": 3,
    });
  });
});
