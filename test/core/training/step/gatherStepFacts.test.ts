import { describe, expect, it } from "vitest";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import { lossRatios, progressOf } from "../../../../src/core/training/step/gatherStepFacts.ts";
import { aDatum } from "../builders.ts";
import { prepareAhead } from "../loop/prepareAhead.ts";

/** Two prompt tokens and two sampled ones. */
function datum() {
  const ledger = new Ledger([1, 2]);
  ledger.addTurn([5, 6], [-1, -2]);
  return aDatum({ ledger, advantage: 1 });
}
const trainer = Float32Array.of(-9, -1.5, -1.75);

describe("the ratios that a loss clips", () => {
  it("are not computed by default, since those of trainer and sampler are already known", () => {
    expect(lossRatios(datum(), trainer, "ppo")).toBeUndefined();
    expect(lossRatios(datum(), undefined, "gspo")).toBeUndefined();
  });

  it("use the old log-probabilities if there are any", () => {
    const corrected = { ...datum(), oldLogprobs: Float32Array.of(0, -1.5, -2) };
    expect([...(lossRatios(corrected, trainer, "cispo") ?? [])].slice(1)).toEqual([
      1,
      expect.closeTo(Math.exp(0.25), 6),
    ]);
  });

  it("are the geometric mean over the trained tokens with gspo", () => {
    // Differences of -0.5 and 0.25.
    const mean = expect.closeTo(Math.exp(-0.125), 6);
    expect([...(lossRatios(datum(), trainer, "gspo") ?? [])].slice(1)).toEqual([mean, mean]);
  });
});

describe("the remaining time", () => {
  const { context } = prepareAhead({ stepsAhead: 0, steps: 6 });
  function remaining(step: number, stop: number | null): number | null {
    const config = { ...context.config, stop_at_step: stop };
    const input = { step, cursor: 0, elapsedS: [], optimizerUpdates: step };
    const done = { taken: 2, updates: 1, totalS: 10, seconds: 10 };
    return progressOf({ ...context, config }, input, done).etaS;
  }

  it("is that of the remaining steps", () => {
    expect([0, 1, 5].map((step) => remaining(step, null))).toEqual([50, 40, 0]);
  });

  it("ends at stop_at_step, and after a resume at the end of the plan", () => {
    expect([0, 1, 2, 3, 4].map((step) => remaining(step, 3))).toEqual([20, 10, 0, 20, 10]);
  });
});
