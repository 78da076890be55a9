/** How long the fake services take for what, so that a bench can say how long its work would take with a client that takes no time. */

import { createUniform } from "../src/shared/uniform.ts";

/** The time of every request to the environment that is awaited. */
export const ENVIRONMENT_MS = 20;
/** The time of a training pass. Everything else that the service does to weights is done by then. */
export const TRAINING_MS = 2_000;
/** The period of a service that updates weights in fixed cycles. */
export const CYCLE_MS = 2_500;
/** What the same service samples in a second, of all rollouts together. */
export const TOKENS_PER_SECOND = 16_000;
/** Turns with a tool call before the one that answers. */
export const CALLS_BEFORE_ANSWER = 2;

const LEAST_SAMPLE_MS = 200;
const MOST_SAMPLE_MS = 2_000;
/** `/create_session`, `/create`, tools and prompt before the first turn, `/delete` and `/delete_session` after the last. */
const REQUESTS_BESIDE_CALLS = 6;

/** When the first cycle begins that is not over at `fromMs` and not that of `lastMs`; times by `Date.now()`. */
export function nextCycleMs(fromMs: number, lastMs: number): number {
  return Math.max(Math.ceil(fromMs / CYCLE_MS) * CYCLE_MS, lastMs + CYCLE_MS);
}

/** The time of a sample with this seed. */
export function sampleMs(seed: number): number {
  return LEAST_SAMPLE_MS + (MOST_SAMPLE_MS - LEAST_SAMPLE_MS) * createUniform(seed)();
}

/** The time of a whole rollout whose turns have these seeds: the times of the services, added up. */
export function rolloutMs(seeds: readonly number[]): number {
  const requests = REQUESTS_BESIDE_CALLS + seeds.length;
  return seeds.reduce((sum, seed) => sum + sampleMs(seed), requests * ENVIRONMENT_MS);
}
