import { describe, expect, it } from "vitest";
import { gradientNorm, lossMetrics } from "../../../../src/core/tinker/wire/metricNames.ts";

describe("metrics from servers", () => {
  it("may have the loss under several names, with the documented one first", () => {
    const metrics = {
      "pg_loss:sum": 1,
      "loss:mean": 2,
      "other:sum": 3,
      "loss:sum": 4,
      "x/total_loss": 5,
    };
    expect(lossMetrics(metrics)).toEqual(["loss:sum", "loss:mean", "x/total_loss", "pg_loss:sum"]);
    expect(lossMetrics({ "entropy_loss:sum": 1 })).toEqual([]);
  });

  it.each(["grad_norm:mean", "skyrl.ai/grad_norm", "optim/grad_norm:unique"])(
    "have the gradient norm as %s",
    (name) => {
      expect(gradientNorm({ "learning_rate:mean": 1, [name]: 0.5 })).toBe(0.5);
    },
  );

  it("may lack the gradient norm", () => {
    expect(gradientNorm({ "grad_norm_clipped:mean": 1 })).toBeNull();
  });
});
