/** Repeats one request until it has an answer worth keeping; owns delays and limits, knows no endpoint. */

import { errorMessage, isAppError } from "../../errors.ts";
import type { Clock, Random } from "../../ports.ts";
import { type Backoff, backoffMs } from "../../util/backoff.ts";
import { retryAfterMs } from "../../util/retryAfter.ts";
import { type WithTimerPaused, withoutTimer } from "../../util/withTimerPaused.ts";

/** A whole answer, its body read. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

/** Lets tries through when the service has capacity for them. */
export interface Throttle {
  /** Resolves before each try, with what to call after it. */
  enter(): Promise<() => void>;
  /** Called with each 429, instead of a back-off. */
  onBusy(answer: Answer): void;
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
  /** All tries and the waits between them, without pauses for 402 and 429 and time in which the program stood still. */
  readonly budgetMs: number;
  /** How long unpaid bills (402) are waited for. */
  readonly billingPauseMs: number;
  readonly throttle?: Throttle | undefined;
  /** Runs the waits that the request itself does not cause. */
  readonly withTimerPaused?: WithTimerPaused | undefined;
  readonly onRetry: (reason: string, delayMs: number) => void;
}

export interface RetriedAnswer {
  readonly answer: Answer;
  readonly attempts: number;
}

type Outcome = { readonly answer: Answer } | { readonly fault: unknown };

/** How often a blocked account is asked again. */
export const billingPollMs = 5_000;
const transientStatuses = [408, 425, 429];
/** The longest timeout of a request; a try that took longer fell into a standstill of the program. */
const maxTryMs = 60_000;
const maxAskedDelayMs = 60_000;
const backoff: Backoff = { firstMs: 500, maxMs: 10_000, jitter: 0.25 };

/**
 * Tries until the answer is final or the budget is spent, then returns the last answer, whatever its status.
 * Repeats on 408, 425, 429, 5xx, 402 and lost connections, not on 409: `docs/protocols/tinker.md#statuses-and-retries`.
 * @throws the transport fault when the last try had no answer; the signal's reason when aborted
 */
export async function retryAnswers(
  attempt: () => Promise<Answer>,
  options: RetryOptions,
): Promise<RetriedAnswer> {
  const { clock, signal, throttle, withTimerPaused = withoutTimer } = options;
  let spentMs = 0;
  let billingMs = 0;
  let retries = 0;
  for (let attempts = 1; ; attempts++) {
    const leave = throttle && (await withTimerPaused(() => throttle.enter()));
    const triedAtMs = clock.monotonic();
    const outcome = await outcomeOf(attempt).finally(leave);
    spentMs += Math.min(clock.monotonic() - triedAtMs, maxTryMs);
    const answer = "answer" in outcome ? outcome.answer : null;
    if (answer?.status === 402 && billingMs < options.billingPauseMs) {
      options.onRetry("the account's billing is blocked", billingPollMs);
      await withTimerPaused(() => clock.sleep(billingPollMs, signal));
      billingMs += billingPollMs;
    } else if (answer?.status === 429 && throttle !== undefined) {
      throttle.onBusy(answer);
    } else {
      const delayMs = retryDelayMs(outcome, retries, options);
      if (delayMs === null || spentMs + delayMs > options.budgetMs) {
        return { answer: answerOf(outcome), attempts };
      }
      options.onRetry(describe(outcome), delayMs);
      await clock.sleep(delayMs, signal);
      spentMs += delayMs;
      retries++;
    }
  }
}

/** The wait that the server asks for, in milliseconds; one of more than a minute counts as none, as with the official client. */
export function askedDelayMs(answer: Pick<Answer, "header">, nowMs: number): number | null {
  const askedMs = retryAfterMs(answer, { nowMs, maxMs: Number.POSITIVE_INFINITY });
  return askedMs !== null && askedMs <= maxAskedDelayMs ? askedMs : null;
}

async function outcomeOf(attempt: () => Promise<Answer>): Promise<Outcome> {
  try {
    return { answer: await attempt() };
  } catch (fault) {
    if (!isAppError(fault, "transport")) throw fault;
    return { fault };
  }
}

function answerOf(outcome: Outcome): Answer {
  if ("fault" in outcome) throw outcome.fault;
  return outcome.answer;
}

/** Half a second doubling to ten, less up to a quarter; null = final. */
function retryDelayMs(
  outcome: Outcome,
  retries: number,
  { clock, random }: Pick<RetryOptions, "clock" | "random">,
): number | null {
  const ownMs = backoffMs(backoff, retries, random);
  if ("fault" in outcome) return ownMs;
  const { answer } = outcome;
  const shouldRetry = answer.header("x-should-retry");
  if (shouldRetry === "false") return null;
  const isTransient = transientStatuses.includes(answer.status) || answer.status >= 500;
  return isTransient || shouldRetry === "true"
    ? (askedDelayMs(answer, clock.now()) ?? ownMs)
    : null;
}

function describe(outcome: Outcome): string {
  return "fault" in outcome ? errorMessage(outcome.fault) : `status ${outcome.answer.status}`;
}
