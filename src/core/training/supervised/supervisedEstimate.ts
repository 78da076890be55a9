/** What a supervised run takes: its examples say how many tokens each step trains, so only time is left open. */

import type { Config } from "../../config/fields/schema.ts";
import type { Estimate, EstimateRange } from "../../estimate/estimate.ts";
import { type EstimatePlan, planWithoutRollouts } from "../../estimate/plan.ts";
import type { Example } from "../../examples/example.ts";
import type { ExampleSet } from "../../examples/exampleSet.ts";
import { costOf, type Prices } from "../../usage/prices.ts";
import { sum } from "../../util/stats.ts";
import { itemsFrom, type TaskSequence } from "../tasks/dataset.ts";
import { datumLength } from "../update/datums.ts";
import { isMeasured } from "./supervisedSteps.ts";

/** Evaluations are left out: how long the model's answers are is not known. */
export function supervisedEstimate(
  config: Config,
  { sequence, totalSteps }: { readonly sequence: TaskSequence; readonly totalSteps: number | null },
  examples: ExampleSet,
  prices: Prices | null,
): { readonly estimate: Estimate; readonly plan: EstimatePlan } {
  const steps = totalSteps ?? 1;
  const items = itemsFrom(sequence, 0, steps * config.batch_size, config);
  const lengths = examples.trained.map(tokensOf);
  const trained = sum(items.map(({ index }) => lengths[index] ?? 0));
  const measured = Array.from({ length: steps }, (_, step) => step + 1).filter((completed) =>
    isMeasured({ config, totalSteps }, completed),
  );
  const heldOut = measured.length * sum(examples.heldOut.map(tokensOf));
  const usage = { sampled: 0, prefill_cached: 0, prefill_uncached: heldOut, trained };
  return {
    estimate: {
      tokens: {
        sampled: exactly(0),
        prefill_cached: exactly(0),
        prefill_uncached: exactly(heldOut),
        trained: exactly(trained),
      },
      totalTokens: exactly(trained + heldOut),
      evaluationTokens: exactly(0),
      costUsd: prices === null ? null : exactly(costOf(usage, prices)),
      hours: null,
      steps,
      unplayed: [],
    },
    plan: planWithoutRollouts(totalSteps),
  };
}

/** Those that are sent of an example. */
function tokensOf({ streams }: Example): number {
  return sum(streams.map(datumLength));
}

function exactly(value: number): EstimateRange {
  return { mean: value, low: value, high: value };
}
