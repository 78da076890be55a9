import { describe, expect, it } from "vitest";
import { unseenExamplesEstimate } from "../../../src/core/estimate/unseenExamples.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";

const PRICES = { sampled: 4, prefill_cached: 1, prefill_uncached: 2, trained: 3 };
const CONFIG = { batch_size: 16, max_steps: 10 };

function played(...rollouts: readonly (readonly [data: number, reward: number | null])[]) {
  const own = rollouts.map(([data, reward]) => ({
    tokens: NO_TOKENS,
    data,
    isTrained: data > 0,
    reward,
  }));
  const group = { environment: "a", trainedFraction: 1, passedFraction: 1, rollouts: own };
  return { groups: [group] };
}

describe("a stage whose examples do not exist yet", () => {
  it("trains on rollouts with more than the lowest reward", () => {
    const basis = played([90, 0], [40, 1], [60, 1], [0, null]);
    const { estimate, plan } = unseenExamplesEstimate(CONFIG, basis, PRICES);
    expect(estimate.tokens.trained).toEqual({ mean: 8000, low: 6400, high: 10_000 });
    expect(estimate.costUsd?.mean).toBeCloseTo((8000 * 3) / 1e6, 12);
    expect(plan.steps).toBe(10);
  });

  it("trains on any if all rewards are equal, and for one step without an end", () => {
    const config = { ...CONFIG, max_steps: null };
    const { estimate, plan } = unseenExamplesEstimate(config, played([40, 0], [60, 0]), null);
    expect(estimate.totalTokens.mean).toBe(16 * 50);
    expect(estimate.costUsd).toBeNull();
    expect(plan.steps).toBeNull();
  });
});
