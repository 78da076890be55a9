import { describe, expect, it } from "vitest";
import {
  MetricDefinitions,
  type SummaryKind,
} from "../../../../../src/core/tracking/wandb/run/metricDefinitions.ts";
import { Summary } from "../../../../../src/core/tracking/wandb/run/summary.ts";

const ALL: readonly SummaryKind[] = ["min", "max", "mean", "first", "last"];

function summaryOf(rows: readonly Readonly<Record<string, number | null>>[], name = "loss") {
  const definitions = new MetricDefinitions();
  definitions.define({ name, summary: ALL });
  const summary = new Summary(definitions);
  for (const row of rows) summary.add(row);
  return summary;
}

describe("a summary", () => {
  it("leaves NaN out of min, max and mean", () => {
    const summary = summaryOf([{ loss: 3 }, { loss: Number.NaN }, { loss: 1 }]);
    expect(summary.value).toEqual({ loss: { min: 1, max: 3, mean: 2, first: 3, last: 1 } });
  });

  it("says NaN where there was nothing else", () => {
    const { loss } = summaryOf([{ loss: Number.NaN }]).value;
    expect(loss).toEqual({ min: NaN, max: NaN, mean: NaN, first: NaN, last: NaN });
  });

  it("keeps the last value of other metrics, and through nulls what was there", () => {
    const summary = summaryOf([{ loss: 1, lr: 2 }, { lr: null }, { lr: 4, reward: 1 }]);
    expect(summary.value).toMatchObject({ lr: 4, reward: 1, loss: { mean: 1 } });
  });

  it("finds definitions by the beginning of a name, the longest first", () => {
    expect(summaryOf([{ "eval/a": 1 }, { "eval/a": 3 }], "eval/*").value).toMatchObject({
      "eval/a": { mean: 2 },
    });
  });

  it("shows what was set instead of statistics", () => {
    const summary = summaryOf([{ loss: 1 }]);
    summary.set({ loss: "good" });
    expect(summary.value).toEqual({ loss: "good" });
    summary.add({ loss: 5 });
    expect(summary.value).toEqual({ loss: 5 });
  });
});
