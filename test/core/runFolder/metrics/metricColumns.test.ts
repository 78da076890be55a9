import { describe, expect, it } from "vitest";
import { MetricColumns } from "../../../../src/core/runFolder/metrics/metricColumns.ts";

describe("a file of any size", () => {
  it("takes no more space for steps and names than for numbers", () => {
    const steps = new MetricColumns(1_000);
    for (let step = 0; step < 3_000; step += 1) steps.add({ step });
    expect([steps.length, steps.latestStep, steps.isTruncated]).toEqual([512, 511, true]);
    const names = new MetricColumns(1_000);
    for (let i = 0; i < 20; i += 1) names.add({ step: 0, ["x".repeat(800) + i]: 1 });
    expect([names.names.length, names.isTruncated]).toEqual([3, true]);
  });
});

it("at most 10,000 metric names are listed", () => {
  const metrics = new MetricColumns();
  const names = Array.from({ length: 12_000 }, (_, i) => [`m${i}`, i] as const);
  metrics.add({ step: 0, ...Object.fromEntries(names) });
  expect([metrics.names.length, metrics.isTruncated]).toEqual([10_000, true]);
});
