/** Counts the attempts at one rollout and decides after each whether another follows. */

import { errorMessage } from "../errors.ts";
import type { Clock, Log, Random } from "../ports.ts";
import { type Backoff, backoffMs } from "../util/backoff.ts";
import type { EnvironmentGate } from "./environmentGate.ts";
import { faultReaction } from "./faults.ts";

const RETRY: Backoff = { firstMs: 1_000, maxMs: 30_000, jitter: 0.25 };
const CAPACITY: Backoff = { firstMs: 2_000, maxMs: 60_000, jitter: 0.25 };

export type AttemptDecision =
  /** The attempt stands as it is. */
  | { readonly kind: "accept" }
  /** It failed, and no further one is allowed. */
  | { readonly kind: "give-up" }
  | { readonly kind: "again"; readonly delayMs: number };

export class Attempts {
  #count = 0;
  #seed = 0;
  #refusals = 0;
  readonly #random: Random;
  readonly #maxRetries: number;

  constructor(random: Random, maxRetries: number) {
    this.#random = random;
    this.#maxRetries = maxRetries;
  }

  /** Attempts that count; one that was refused for lack of capacity does not. */
  get count(): number {
    return this.#count;
  }

  /** Part of the seeds: rises only when the tool itself crashed. */
  get seed(): number {
    return this.#seed;
  }

  /** True while a further attempt may follow one that counts. */
  get isLeft(): boolean {
    return this.#count < this.#maxRetries;
  }

  /**
   * Judges an attempt by its fault, null = none; it does not count where the environment `blamesEnvironment`.
   * @throws the fault when every other rollout would fail with it, too
   */
  judge(fault: unknown, blamesEnvironment = false): AttemptDecision {
    if (blamesEnvironment) return { kind: "again", delayMs: 0 };
    const reaction = fault === null ? null : faultReaction(fault);
    if (reaction?.kind === "fatal") throw fault;
    if (reaction?.kind === "wait") {
      const ownMs = backoffMs(CAPACITY, this.#refusals, this.#random);
      this.#refusals += 1;
      return { kind: "again", delayMs: reaction.retryAfterMs ?? ownMs };
    }
    this.#count += 1;
    if (reaction?.kind !== "retry") return { kind: "accept" };
    if (this.#count > this.#maxRetries) return { kind: "give-up" };
    if (reaction.isToolCrash) this.#seed += 1;
    return { kind: "again", delayMs: backoffMs(RETRY, this.#count - 1, this.#random) };
  }
}

export interface RepeatOptions {
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
 * Repeats `attempt` until one succeeds or none is left, with pauses between them. `attempt` gets the part of the seed that it decides.
 * @throws the fault of an attempt when every other rollout would fail with it, too
 */
export async function retryUntilAccepted<Result extends { readonly error: unknown }>(
  options: RepeatOptions,
  attempt: (seed: number) => Promise<Result>,
): Promise<AcceptedAttempt<Result>> {
  const { clock, gate, log, name, signal } = options;
  const attempts = new Attempts(options.random, options.maxRetries);
  for (;;) {
    signal.throwIfAborted();
    const result = await attempt(attempts.seed);
    const blamesEnvironment = await gate.blamesEnvironment(result.error, attempts.isLeft, signal);
    const verdict = attempts.judge(result.error, blamesEnvironment);
    if (verdict.kind !== "again") {
      return { result, count: attempts.count, hasGivenUp: verdict.kind === "give-up" };
    }
    log.debug(`${name} starts again in a fresh session.`, { reason: errorMessage(result.error) });
    if (verdict.delayMs > 0) await clock.sleep(verdict.delayMs, signal);
  }
}
