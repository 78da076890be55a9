/** Durations of the fake services, from which benchmarks compute the time with a zero-cost client. */

import { createUniform } from "../src/shared/uniform.ts";

/** Duration of every awaited environment request. */
export const ENVIRONMENT_MS = 20;
/** Duration of a training pass, including everything else that the service does to weights. */
export const TRAINING_MS = 2_000;
/** Period of a service that updates weights in fixed cycles. */
export const CYCLE_MS = 2_500;
/** Tokens per second that the same service samples for all rollouts together. */
export const TOKENS_PER_SECOND = 16_000;
/** Turns with a tool call before the answering turn. */
export const CALLS_BEFORE_ANSWER = 2;

const MIN_SAMPLE_MS = 200;
const MAX_SAMPLE_MS = 2_000;
/** `/create_session`, `/create`, tools, and prompt before the first turn; `/delete` and `/delete_session` after the last. */
const REQUESTS_BESIDE_CALLS = 6;

/** Start of the first cycle that begins at or after `fromMs` and after the cycle of `lastMs`; in terms of `Date.now()`. */
export function nextCycleMs(fromMs: number, lastMs: number): number {
  return Math.max(Math.ceil(fromMs / CYCLE_MS) * CYCLE_MS, lastMs + CYCLE_MS);
}

/** Duration of the sample with this seed. */
export function sampleMs(seed: number): number {
  return MIN_SAMPLE_MS + (MAX_SAMPLE_MS - MIN_SAMPLE_MS) * createUniform(seed)();
}

/** Duration of a whole rollout whose turns have these seeds: the sum of the services' durations. */
export function rolloutMs(seeds: readonly number[]): number {
  const requests = REQUESTS_BESIDE_CALLS + seeds.length;
  return seeds.reduce((sum, seed) => sum + sampleMs(seed), requests * ENVIRONMENT_MS);
}
