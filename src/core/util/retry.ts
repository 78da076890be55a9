/** Repeats an attempt until it has a result or its limits are reached: back-off, what a server asks for, deadline, abort. */

import type { Clock, Random } from "../ports.ts";
import { type Backoff, backoffMs } from "./backoff.ts";
import { type WithTimerPaused, withoutTimer } from "./withTimerPaused.ts";

interface Repeatable {
  /** How long the server asks to wait; null = the back-off decides. */
  readonly afterMs?: number | null | undefined;
  /** Gives all tries back. */
  readonly madeProgress?: boolean | undefined;
}

/** A try that another one follows. When none is left, an error is thrown and an unfinished result is returned. */
type RepeatableTry<Result> = Repeatable &
  (
    | { readonly kind: "failed"; readonly error: Error }
    | { readonly kind: "unfinished"; readonly result: Result; readonly reason: string }
  );

export type TryOutcome<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | RepeatableTry<Result>
  /** The next try follows after `ms`, and neither tries nor time are used up: the request is not at fault. */
  | { readonly kind: "pause"; readonly ms: number };

export interface RetryOptions {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly random: Random;
  readonly backoff: Backoff;
  readonly signal?: AbortSignal | undefined;
  /** Failed tries in all; absent = any number. */
  readonly maxTries?: number | undefined;
  /** Limit of all tries and the waits between them, pauses excluded; absent = none. */
  readonly budgetMs?: number | undefined;
  /** Resolves when a try may begin; the time until then is not part of the budget. */
  readonly ready?: (() => Promise<void>) | undefined;
  /** Runs the pauses. */
  readonly withTimerPaused?: WithTimerPaused | undefined;
  /** Replaces the clock's own sleep after a failed try. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  readonly onRetry?: ((reason: string, delayMs: number) => void) | undefined;
}

/** A try that took longer was suspended with the process, or had much to send: neither is held against it. */
const MAX_TRY_MS = 60_000;

/** @throws what the attempt throws, or the error of the last failed try; the signal's reason when aborted during a wait */
export async function retry<Result>(
  attempt: () => Promise<TryOutcome<Result>>,
  options: RetryOptions,
): Promise<Result> {
  const { clock, random, backoff, signal, ready, onRetry } = options;
  const { maxTries = Number.POSITIVE_INFINITY, budgetMs = Number.POSITIVE_INFINITY } = options;
  const { withTimerPaused = withoutTimer } = options;
  const { sleep = (ms: number) => clock.sleep(ms, signal) } = options;
  let failures = 0;
  let spentMs = 0;
  for (;;) {
    await ready?.();
    const startedAtMs = clock.monotonic();
    const outcome = await attempt();
    spentMs += Math.min(clock.monotonic() - startedAtMs, MAX_TRY_MS);
    if (outcome.kind === "done") return outcome.result;
    if (outcome.kind === "pause") {
      const { ms } = outcome;
      if (ms > 0) await withTimerPaused(() => clock.sleep(ms, signal));
      continue;
    }
    if (outcome.madeProgress === true) failures = 0;
    failures += 1;
    const delayMs = outcome.afterMs ?? backoffMs(backoff, failures - 1, random);
    if (failures >= maxTries || spentMs + delayMs >= budgetMs) return resultOf(outcome);
    onRetry?.(reasonOf(outcome), delayMs);
    await sleep(delayMs);
    spentMs += delayMs;
  }
}

function resultOf<Result>(outcome: RepeatableTry<Result>): Result {
  if (outcome.kind === "failed") throw outcome.error;
  return outcome.result;
}

function reasonOf(outcome: RepeatableTry<unknown>): string {
  return outcome.kind === "failed" ? outcome.error.message : outcome.reason;
}
