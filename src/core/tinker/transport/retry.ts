/** Which answers to a request of Tinker are final, and how long others are waited for; knows no endpoint. */

import { AppError, isAppError } from "../../errors.ts";
import type { Clock, Random } from "../../ports.ts";
import type { Backoff } from "../../util/backoff.ts";
import { retry, type TryOutcome } from "../../util/retry.ts";
import { retryAfterMs } from "../../util/retryAfter.ts";
import { type WithTimerPaused, withoutTimer } from "../../util/withTimerPaused.ts";

/** A whole answer, its body read. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

/** Lets tries through when the service has capacity for them. */
export interface Throttle {
  /** Resolves before each try, with what to call after it. */
  enter(): Promise<() => void>;
  /** Called with each 429, instead of a back-off. */
  onBusy(answer: HttpAnswer): void;
}

export interface AnswerOptions {
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
  /** Called with each 402 that is waited for. */
  readonly onBlocked: (answer: HttpAnswer) => void;
  readonly onRetry: (reason: string, delayMs: number) => void;
}

export interface RetriedAnswer {
  readonly answer: HttpAnswer;
  readonly attempts: number;
}

/** How often a blocked account is asked again. */
export const billingPollMs = 5_000;
const transientStatuses = [408, 425, 429];
const maxAskedDelayMs = 60_000;
const backoff: Backoff = { firstMs: 500, maxMs: 10_000, jitter: 0.25 };

/**
 * Tries until the answer is final or the budget is spent, then returns the last answer, whatever its status.
 * Repeats on 408, 425, 429, 5xx, 402 and lost connections, not on 409: `docs/protocols/tinker.md#statuses-and-retries`.
 * @throws the transport fault when the last try had no answer; the signal's reason when aborted
 */
export async function retryAnswers(
  send: () => Promise<HttpAnswer>,
  options: AnswerOptions,
): Promise<RetriedAnswer> {
  const { clock, throttle, withTimerPaused = withoutTimer } = options;
  let attempts = 0;
  let billingMs = 0;
  let leave: (() => void) | undefined;

  async function attempt(): Promise<TryOutcome<RetriedAnswer>> {
    attempts += 1;
    const answer = await answerOf(send).finally(leave);
    if (answer instanceof AppError) return { kind: "failed", error: answer };
    const result: RetriedAnswer = { answer, attempts };
    if (answer.status === 402 && billingMs < options.billingPauseMs) {
      options.onBlocked(answer);
      options.onRetry("the account's billing is blocked", billingPollMs);
      billingMs += billingPollMs;
      return { kind: "pause", ms: billingPollMs };
    }
    if (answer.status === 429 && throttle !== undefined) {
      throttle.onBusy(answer);
      return { kind: "pause", ms: 0 };
    }
    if (isFinal(answer)) return { kind: "done", result };
    const afterMs = askedDelayMs(answer, clock.now());
    return { kind: "unfinished", result, reason: `status ${answer.status}`, afterMs };
  }

  return await retry(attempt, {
    ...options,
    backoff,
    ready: async () => {
      leave = throttle && (await withTimerPaused(() => throttle.enter()));
    },
  });
}

/** The wait that the server asks for, in milliseconds; one of more than a minute counts as none, as with the official client. */
export function askedDelayMs(answer: Pick<HttpAnswer, "header">, nowMs: number): number | null {
  const askedMs = retryAfterMs(answer, { nowMs, maxMs: Number.POSITIVE_INFINITY });
  return askedMs !== null && askedMs <= maxAskedDelayMs ? askedMs : null;
}

/** The transport fault when there is no answer. */
async function answerOf(send: () => Promise<HttpAnswer>): Promise<HttpAnswer | AppError> {
  try {
    return await send();
  } catch (fault) {
    if (!isAppError(fault, "transport")) throw fault;
    return fault;
  }
}

function isFinal({ status, header }: HttpAnswer): boolean {
  const shouldRetry = header("x-should-retry");
  if (shouldRetry === "false") return true;
  return shouldRetry !== "true" && !transientStatuses.includes(status) && status < 500;
}
