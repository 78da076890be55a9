/** Repeats the attempts at one rollout until one is accepted or none is left. */

import { errorMessage, isAppError } from "../errors.ts";
import type { Clock, Log, Random } from "../ports.ts";
import { type Backoff, backoffMs } from "../util/backoff.ts";
import type { EnvironmentGate } from "./environmentGate.ts";
import { faultReaction } from "./faults.ts";

const BACKOFF: Backoff = { firstMs: 1_000, maxMs: 30_000, jitter: 0.25 };

export interface RolloutRetryOptions {
  readonly gate: EnvironmentGate;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly maxRetries: number;
  /** What is attempted, for the log. */
  readonly name: string;
  readonly signal: AbortSignal;
}

export interface AcceptedAttempt<Result> {
  readonly result: Result;
  /** Attempts that counted. */
  readonly count: number;
  /** True when it failed and no further one was allowed. */
  readonly hasGivenUp: boolean;
}

/**
 * Repeats `attempt` in fresh sessions, with pauses between them, until one ends without a fault that another attempt may avoid, or none
 * is left. Attempts that the environment failed, or refused because it is full, do not count.
 * @throws the fault of an attempt when every other rollout would fail with it, too
 */
export async function retryUntilAccepted<Result extends { readonly error: unknown }>(
  options: RolloutRetryOptions,
  attempt: () => Promise<Result>,
): Promise<AcceptedAttempt<Result>> {
  const { clock, gate, log, maxRetries, name, random, signal } = options;
  let [count, refusals] = [0, 0];
  for (;;) {
    signal.throwIfAborted();
    const result = await attempt();
    const { error } = result;
    const blamesEnvironment = await gate.blamesEnvironment(error, signal);
    if (isAppError(error, "environment-capacity")) {
      refusals += 1;
      await gate.waitForCapacity(error, refusals, signal);
    } else if (!blamesEnvironment) {
      count += 1;
      const reaction = faultReaction(error);
      if (reaction === "end-run") throw error;
      const isAccepted = reaction === "fail";
      if (isAccepted || count > maxRetries) return { result, count, hasGivenUp: !isAccepted };
      await clock.sleep(backoffMs(BACKOFF, count - 1, random), signal);
    }
    log.debug(`${name} starts again in a fresh session.`, { reason: errorMessage(error) });
  }
}
