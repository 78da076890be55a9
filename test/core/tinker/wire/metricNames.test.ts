import { describe, expect, it } from "vitest";
import { gradientNorm, lossMetrics } from "../../../../src/core/tinker/wire/metricNames.ts";

describe("metrics of servers", () => {
  it("hold the loss under several names, the documented one first", () => {
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
    "hold the norm of the gradient as %s",
    (name) => {
      expect(gradientNorm({ "learning_rate:mean": 1, [name]: 0.5 })).toBe(0.5);
    },
  );

  it("may lack the norm of the gradient", () => {
    expect(gradientNorm({ "grad_norm_clipped:mean": 1 })).toBeNull();
  });
});
