/** Requests to one W&B server: address, key, and retries until there is a final answer. Knows no specific operation. */

import { AppError, isAppError } from "../../../errors.ts";
import type { Clock, HttpClient, HttpRequest, Random } from "../../../ports.ts";
import { REPLY_LIMITS, type ReplyLimit } from "../../../replyLimits.ts";
import { Redactor } from "../../../secrets/redaction/redactor.ts";
import { linkSignals } from "../../../util/abort.ts";
import type { Backoff } from "../../../util/backoff.ts";
import { faultReason } from "../../../util/faultReason.ts";
import { retry, type TryOutcome } from "../../../util/retry.ts";
import { retryAfterMs } from "../../../util/retryAfter.ts";
import { withoutEnd } from "../../../util/textEdges.ts";
import { sleepUntilAborted } from "../../../util/wakeableSleep.ts";
import { type ExtendedObject, isExtendedObject, parseExtended } from "../run/extendedJson.ts";

export interface WandbRequestsOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly userAgent: string;
  /** Once aborted, nothing more is sent. */
  readonly signal: AbortSignal;
  /** Once aborted, waits between tries are short, because the run is about to end. */
  readonly retryNow: AbortSignal;
  /** Called after each failed try that will be repeated. */
  readonly onOutage: (reason: string) => void;
  /** Called after every answer. */
  readonly onAnswer: () => void;
}

export interface PostRequest {
  /** Relative to the base URL, with a leading slash. */
  readonly path: string;
  readonly body: string;
  readonly timeoutMs: number;
  /** Also retries a conflict (409). */
  readonly retriesConflict?: boolean;
}

export interface PutRequest {
  /** An absolute address, or a path from the server's root. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly tries: number;
}

/** `unreachable` after all tries; by then the address may have expired. */
export type PutOutcome = "taken" | "refused" | "unreachable";

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number | null;
}

/** Statuses that retrying would not change: `docs/protocols/wandb.md#retries`. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 410, 413, 422, 501]);
/** 2 s doubling to 60 s, plus up to a quarter, like the official client. */
const BACKOFF: Backoff = { firstMs: 2_500, maxMs: 75_000, jitter: 0.2 };
const MAX_RETRY_AFTER_MS = 10 * 60_000;
const MAX_LIMIT_RESET_MS = 60_000;
const HURRIED_WAIT_MS = 2_000;
const PUT_TIMEOUT_MS = 120_000;
const MAX_DETAIL = 300;
const REPLY_LIMIT: ReplyLimit = {
  bytes: REPLY_LIMITS.wandb,
  fault: (limit) => new AppError("wandb-refused", `the answer is longer than ${limit}`),
};
const FOREIGN = "something other than W&B answered";

export class WandbRequests {
  readonly #options: WandbRequestsOptions;
  readonly #redactor = new Redactor();
  /** No requests before this time, at the server's request. */
  #closedUntilMs = 0;

  constructor(options: WandbRequestsOptions) {
    this.#options = options;
    this.#redactor.learn(options.apiKey);
  }

  get baseUrl(): string {
    return this.#options.baseUrl;
  }

  /**
   * Retries until the server accepts the request, and returns its answer, null if empty. A 200 answer that is not JSON comes from
   * an intermediary and counts as a failure.
   * @throws AppError `wandb-refused` for refusals that retrying would not change; the signal's reason
   */
  async post(request: PostRequest): Promise<ExtendedObject | null> {
    const { baseUrl, apiKey, userAgent } = this.#options;
    const http: HttpRequest = {
      method: "POST",
      url: `${baseUrl}${request.path}`,
      headers: {
        authorization: `Basic ${btoa(`api:${apiKey}`)}`,
        "content-type": "application/json",
        "user-agent": userAgent,
      },
      body: request.body,
      timeoutMs: request.timeoutMs,
    };
    return await this.#repeat(async () => {
      const outcome = this.#judge(await this.#try(http), request);
      if (outcome.kind === "failed") this.#options.onOutage(outcome.error.message);
      return outcome;
    });
  }

  /** Uploads bytes to an address from the server, without the key. */
  async put({ url, headers, body, tries: maxTries }: PutRequest): Promise<PutOutcome> {
    const target = this.#uploadUrl(url);
    if (target === null) return "refused";
    const http: HttpRequest = {
      method: "PUT",
      url: target,
      headers,
      timeoutMs: PUT_TIMEOUT_MS,
      body: new TextEncoder().encode(body),
    };
    return await this.#repeat<PutOutcome>(async () => {
      const answer = await this.#try(http);
      const reason = uploadFault(answer);
      if (reason === null) return { kind: "done", result: "taken" };
      const status = answer instanceof AppError ? 0 : answer.status;
      const isPassing = status < 400 || status === 429 || (status >= 500 && status !== 501);
      if (!isPassing) return { kind: "done", result: "refused" };
      this.#options.onOutage(`an upload was not accepted: ${reason}`);
      const afterMs = answer instanceof AppError ? null : answer.retryAfterMs;
      return { kind: "unfinished", result: "unreachable", reason, afterMs };
    }, maxTries);
  }

  #repeat<Result>(attempt: () => Promise<TryOutcome<Result>>, maxTries?: number): Promise<Result> {
    const { clock, random } = this.#options;
    const sleep = (ms: number) => this.#wait(ms);
    return retry(attempt, { clock, random, backoff: BACKOFF, maxTries, sleep });
  }

  /** Uploads may go to any https host, and to http only if the server itself is reached by http. */
  #uploadUrl(url: string): string | null {
    const { baseUrl } = this.#options;
    if (!URL.canParse(url, baseUrl)) return null;
    const target = new URL(url, baseUrl);
    const isValid =
      target.protocol === "https:" || (target.protocol === "http:" && baseUrl.startsWith("http:"));
    return isValid ? target.href : null;
  }

  async #try(request: HttpRequest): Promise<Answer | AppError> {
    const { http, clock, signal } = this.#options;
    const closedMs = this.#closedUntilMs - clock.monotonic();
    if (closedMs > 0) await clock.sleep(closedMs, signal);
    try {
      const response = await http.send({ ...request, replyLimit: REPLY_LIMIT, signal });
      const text = await response.text();
      this.#applyLimit(response.header("ratelimit-remaining"), response.header("ratelimit-reset"));
      const asked = retryAfterMs(response, { nowMs: clock.now(), maxMs: MAX_RETRY_AFTER_MS });
      return { status: response.status, text, retryAfterMs: asked };
    } catch (error) {
      if (isAppError(error, "transport")) return error;
      throw error;
    }
  }

  #applyLimit(remaining: string | null, reset: string | null): void {
    if (remaining === null || Number(remaining) > 0) return;
    const resetMs = Math.min(Number(reset ?? Number.NaN) * 1000, MAX_LIMIT_RESET_MS);
    if (resetMs > 0) this.#closedUntilMs = this.#options.clock.monotonic() + resetMs;
  }

  /** @throws AppError `wandb-refused` */
  #judge(
    answer: Answer | AppError,
    { path, retriesConflict = false }: PostRequest,
  ): TryOutcome<ExtendedObject | null> {
    if (answer instanceof AppError) return failed(`no answer: ${faultReason(answer)}`);
    const { status, text } = answer;
    if (status >= 200 && status < 300) {
      const value = text.trim() === "" ? null : parseExtended(text)?.value;
      if (value === null || isExtendedObject(value)) {
        this.#options.onAnswer();
        return { kind: "done", result: value };
      }
      return failed(FOREIGN);
    }
    const reason = this.#reasonOf(status, text);
    const isFinal = FINAL_STATUSES.has(status) && !(status === 409 && retriesConflict);
    if (!isFinal) return failed(reason, answer.retryAfterMs);
    throw new AppError("wandb-refused", reason, { data: { status, path } });
  }

  #reasonOf(status: number, text: string): string {
    const detail = failureText(parseExtended(text)?.value ?? null) ?? "";
    // No trailing period: the text goes into a sentence.
    const cleaned = this.#redactor.redact(detail).replace(/\s+/g, " ");
    const shown = withoutEnd(cleaned.slice(0, MAX_DETAIL), /[.\s]/);
    return shown === "" ? `status ${status}` : `status ${status}: ${shown}`;
  }

  async #wait(ms: number): Promise<void> {
    const { clock, signal, retryNow } = this.#options;
    if (retryNow.aborted) return clock.sleep(Math.min(ms, HURRIED_WAIT_MS), signal);
    const either = linkSignals([signal, retryNow]);
    await sleepUntilAborted(clock, ms, either.signal).finally(() => either.clear());
    signal.throwIfAborted();
  }
}

function failed(reason: string, afterMs: number | null = null): TryOutcome<never> {
  return { kind: "failed", error: new AppError("wandb-refused", reason), afterMs };
}

/** Why an upload was not accepted; null if it was. Storage answers with nothing or a short text, never with a web page. */
function uploadFault(answer: Answer | AppError): string | null {
  if (answer instanceof AppError) return `no answer: ${faultReason(answer)}`;
  const { status, text } = answer;
  if (status < 200 || status >= 300) return `status ${status}`;
  return /^\s*<(!doctype\s+)?html/i.test(text) ? FOREIGN : null;
}

/** The error text in a failure's body; null if there is none. */
export function failureText(body: unknown): string | null {
  if (typeof body !== "object" || body === null) return null;
  const { errors, error } = { errors: undefined, error: undefined, ...body } as {
    readonly errors: unknown;
    readonly error: unknown;
  };
  const list: readonly unknown[] = Array.isArray(errors) ? errors : [error];
  const texts = list.map(messageOf).filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join("; ");
}

function messageOf(error: unknown): string | null {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null || !("message" in error)) return null;
  return typeof error.message === "string" ? error.message : null;
}
