/** Decides which answers to a Tinker request are final, and how long to retry the others; knows no endpoint. */

import { AppError, isAppError } from "../../errors.ts";
import type { Clock, Random } from "../../ports.ts";
import type { Backoff } from "../../util/backoff.ts";
import { retry, type TryOutcome } from "../../util/retry.ts";
import { retryAfterMs } from "../../util/retryAfter.ts";
import { type WithTimerPaused, withoutTimer } from "../../util/withTimerPaused.ts";

/** A complete answer, its body read. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

/** Holds back attempts until the service has capacity for them. */
export interface Throttle {
  /** Awaited before each attempt; resolves with a function to call after it. */
  enter(): Promise<() => void>;
  /** Called on each 429, instead of a backoff. */
  onBusy(answer: HttpAnswer): void;
}

export interface AnswerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
  /** Limit on all attempts and the waits between them, excluding pauses for 402 and 429 and time during which the process was suspended. */
  readonly budgetMs: number;
  /** How long to wait for an unpaid bill (402). */
  readonly billingPauseMs: number;
  readonly throttle?: Throttle | undefined;
  /** Runs the waits that are not caused by the request itself. */
  readonly withTimerPaused?: WithTimerPaused | undefined;
  /** Called on each 402 that leads to a wait. */
  readonly onBlocked: (answer: HttpAnswer) => void;
  readonly onRetry: (reason: string, delayMs: number) => void;
}

export interface RetriedAnswer {
  readonly answer: HttpAnswer;
  readonly attempts: number;
}

/** How often a request is retried while the account is blocked. */
export const billingPollMs = 5_000;
const transientStatuses = [408, 425, 429];
const maxAskedDelayMs = 60_000;
const backoff: Backoff = { firstMs: 500, maxMs: 10_000, jitter: 0.25 };

/**
 * Tries until the answer is final or the budget is spent, then returns the last answer, whatever its status. Retries 408, 425,
 * 429, 5xx, 402 and lost connections, but not 409: `docs/protocols/tinker.md#statuses-and-retries`.
 * @throws the transport fault if the last attempt had no answer; the signal's reason if aborted
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

/** The delay the server asks for, in milliseconds; more than a minute is ignored, as in the official client. */
export function askedDelayMs(answer: Pick<HttpAnswer, "header">, nowMs: number): number | null {
  const askedMs = retryAfterMs(answer, { nowMs, maxMs: Number.POSITIVE_INFINITY });
  return askedMs !== null && askedMs <= maxAskedDelayMs ? askedMs : null;
}

/** Returns the transport fault if there is no answer. */
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
