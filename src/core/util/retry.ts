/** Repeats an attempt until it succeeds or reaches its limits, respecting backoff, server-requested delays, a time budget and abort. */

import type { Clock, Random } from "../ports.ts";
import { type Backoff, backoffMs } from "./backoff.ts";
import { type WithTimerPaused, withoutTimer } from "./withTimerPaused.ts";

interface Repeatable {
  /** Delay that the server asks for; null = use the backoff. */
  readonly afterMs?: number | null | undefined;
  /** True resets the number of tries. */
  readonly madeProgress?: boolean | undefined;
}

/** A try that will be repeated. If no tries are left, an error is thrown and an unfinished result is returned. */
type RepeatableTry<Result> = Repeatable &
  (
    | { readonly kind: "failed"; readonly error: Error }
    | { readonly kind: "unfinished"; readonly result: Result; readonly reason: string }
  );

export type TryOutcome<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | RepeatableTry<Result>
  /** Tries again after `ms` without using up tries or budget, because the request is not at fault. */
  | { readonly kind: "pause"; readonly ms: number };

export interface RetryOptions {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly random: Random;
  readonly backoff: Backoff;
  readonly signal?: AbortSignal | undefined;
  /** Maximum number of failed tries; absent = unlimited. */
  readonly maxTries?: number | undefined;
  /** Limit on all tries and the waits between them, excluding pauses; absent = none. */
  readonly budgetMs?: number | undefined;
  /** Resolves when a try may begin; the wait does not count against the budget. */
  readonly ready?: (() => Promise<void>) | undefined;
  /** Runs the pauses. */
  readonly withTimerPaused?: WithTimerPaused | undefined;
  /** Replaces the clock's sleep after a failed try. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  readonly onRetry?: ((reason: string, delayMs: number) => void) | undefined;
}

/** A try counts at most this long: a longer one was suspended with the process, or had a lot to send. */
const MAX_TRY_MS = 60_000;

/** @throws whatever the attempt throws, or the error of the last failed try; the signal's reason if aborted during a wait */
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
