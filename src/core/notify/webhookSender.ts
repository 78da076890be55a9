/** Sends one message to a webhook, with retries until it is accepted or rejected. */

import { AppError, isAppError } from "../errors.ts";
import type { Clock, HttpClient, Random } from "../ports.ts";
import type { ReplyLimit } from "../replyLimits.ts";
import type { Backoff } from "../util/backoff.ts";
import { faultReason } from "../util/faultReason.ts";
import { retry, type TryOutcome } from "../util/retry.ts";
import { retryAfterMs } from "../util/retryAfter.ts";
import type { NoticeMessage } from "./notice.ts";
import { type WebhookFormat, webhookBody } from "./webhookBody.ts";

export interface WebhookOptions {
  /** Follows no redirects. */
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly address: string;
  readonly format: WebhookFormat;
  readonly userAgent: string;
}

const TRY_LIMIT_MS = 10_000;
const BACKOFF: Backoff = { firstMs: 1_000, maxMs: 60_000, jitter: 0.5 };
/** Older messages are no longer useful. */
const BUDGET_MS = 10 * 60_000;
/** Client errors that may be temporary. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
const REPLY_LIMIT: ReplyLimit = {
  bytes: 2 ** 20,
  fault: (limit) => refused(`its answer is longer than ${limit}`),
};

/** @throws AppError `notification-failed`, without the address; the reason of `signal` if it aborts before the first try has ended */
export async function sendToWebhook(
  options: WebhookOptions,
  message: NoticeMessage,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, format } = options;
  const body = JSON.stringify(webhookBody(message, format));
  let lastReason: string | null = null;
  const onRetry = (reason: string): void => {
    lastReason = reason;
  };
  const limits = { clock, random, signal, backoff: BACKOFF, budgetMs: BUDGET_MS, onRetry };
  try {
    await retry(() => tryOnce(options, body, signal), limits);
  } catch (error) {
    throw signal.aborted && lastReason !== null ? refused(lastReason) : error;
  }
}

async function tryOnce(
  { http, address: url, userAgent, clock }: WebhookOptions,
  body: string,
  signal: AbortSignal,
): Promise<TryOutcome<void>> {
  try {
    const response = await http.send({
      method: "POST",
      url,
      headers: { "content-type": "application/json", "user-agent": userAgent },
      body,
      timeoutMs: TRY_LIMIT_MS,
      replyLimit: REPLY_LIMIT,
      signal,
    });
    await response.bytes();
    const { status } = response;
    if (status >= 200 && status < 300) return { kind: "done", result: undefined };
    if (status < 400)
      throw refused(`it answers with a redirect (${status}), which is not followed`);
    const error = refused(`it answers ${status}`);
    if (status < 500 && !PASSING.has(status)) throw error;
    const limits = { nowMs: clock.now(), maxMs: BUDGET_MS };
    return { kind: "failed", error, afterMs: retryAfterMs(response, limits) };
  } catch (error) {
    if (!isAppError(error, "transport")) throw error;
    return { kind: "failed", error: refused(faultReason(error)) };
  }
}

function refused(why: string): AppError {
  return new AppError("notification-failed", why);
}
