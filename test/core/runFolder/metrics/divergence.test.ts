import { expect, test } from "vitest";
import {
  type DatumTokens,
  divergenceMetrics,
} from "../../../../src/core/runFolder/metrics/divergence.ts";

test("the divergence of a step stores nothing per token", () => {
  const tokens = 2_000_000;
  const array = (value: number) => new Float32Array(tokens).fill(value);
  const datum: DatumTokens = {
    samplerLogprobs: array(-1),
    trainerLogprobs: array(-0.5),
    mask: new Uint8Array(tokens).fill(1),
    advantages: array(1),
  };
  const before = process.memoryUsage().arrayBuffers;
  const metrics = divergenceMetrics([datum], [], { low: 0.8, high: 1.2, cuts: "gradient" });
  const taken = process.memoryUsage().arrayBuffers - before;
  expect(metrics).toMatchObject({ logprob_diff_abs_p95: 0.5, clip_frac_high: 1 });
  expect(taken / tokens).toBeLessThan(1);
});
