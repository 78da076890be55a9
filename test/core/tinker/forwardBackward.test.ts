import { describe, expect, it } from "vitest";
import { combineResults } from "../../../src/core/tinker/forwardBackward.ts";

function result(datums: number, metrics: Record<string, number>) {
  return { outputs: Array(datums).fill({ logprobs: new Float32Array(1) }), metrics };
}

describe("combined metrics of chunks", () => {
  it("are reduced according to the suffix of each metric", () => {
    const combined = combineResults([
      result(3, { "loss:sum": 3, "a:mean": 1, "b:min": 2, "c:max": 5, "d:slack": 1 }),
      result(1, { "loss:sum": 1, "a:mean": 5, "b:min": 1, "c:max": 6, "d:slack": 5 }),
    ]);
    expect(combined.outputs).toHaveLength(4);
    expect(combined.metrics).toEqual({
      "loss:sum": 4,
      "a:mean": 2,
      "b:min": 1,
      "c:max": 6,
      "d:slack": 3,
    });
  });

  it("keep every value of a unique metric", () => {
    const results = [7, 8, 9].map((cycle) => result(1, { "clock_cycle:unique": cycle }));
    expect(combineResults(results).metrics).toEqual({
      "clock_cycle:unique": 7,
      "clock_cycle:unique_1": 8,
      "clock_cycle:unique_2": 9,
    });
  });

  it("omit metrics that a chunk lacks or whose names have no reduction", () => {
    const results = [
      result(1, { "loss:sum": 1, "x:sum": 1, plain: 1, "a:b:sum": 1, "y:median": 1 }),
      result(1, { "loss:sum": 2, plain: 1, "a:b:sum": 1, "y:median": 1 }),
    ];
    expect(combineResults(results).metrics).toEqual({ "loss:sum": 3 });
  });

  it("keep their names with a single chunk", () => {
    const metrics = { "server/grad_norm": 0.5, "loss:sum": 1, "y:median": 1 };
    expect(combineResults([result(1, metrics)]).metrics).toEqual(metrics);
  });

  it("have no mean without datums", () => {
    expect(combineResults([result(0, { "a:mean": 1 })]).metrics).toEqual({});
  });
});
