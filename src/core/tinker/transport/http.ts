/** Requests to one Tinker server, with credential, retries and error bodies. Knows no endpoint except the token exchange. */

import type { output, ZodType } from "zod";
import { errorMessage, isAppError } from "../../errors.ts";
import type { HttpResponse, Log, Random } from "../../ports.ts";
import type { KeySource } from "../../secrets/keySource.ts";
import { Redactor } from "../../secrets/redaction/redactor.ts";
import type { WithTimerPaused } from "../../util/withTimerPaused.ts";
import { Credential } from "./credential.ts";
import { errorDetail, statusError, thenStartAgain, tinkerError } from "./errors.ts";
import { createSender, type SenderOptions, type TinkerRequest } from "./exchange.ts";
import { type HttpAnswer, retryAnswers, type Throttle } from "./retry.ts";
import { type ServerNotice, ServerWatch } from "./serverWatch.ts";

export interface TinkerHttpOptions extends SenderOptions {
  readonly random: Random;
  readonly log: Log;
  readonly apiKey: string;
  /** For messages about the key. */
  readonly keySource?: KeySource | undefined;
  /** Called with each short-lived token that replaces the key. */
  readonly onToken?: ((token: string) => void) | undefined;
  /** How long to wait for a blocked account (402); read on every call. */
  readonly billingPauseMs: () => number;
}

export interface RequestOptions {
  /** Limit on all attempts together; 0 = a single attempt. */
  readonly budgetMs?: number;
  /** Absent = true only if `budgetMs` is absent. */
  readonly waitsForBills?: boolean | undefined;
  /** Consulted before each attempt; absent = no waiting, and a backoff after a 429. */
  readonly throttle?: Throttle | undefined;
  /** Runs the waits for the throttle and for unpaid bills. */
  readonly withTimerPaused?: WithTimerPaused | undefined;
}

export interface TinkerHttp {
  /** Makes a single attempt, whatever the status; the answer's text never contains the key. @throws AppError `transport` */
  send(request: TinkerRequest): Promise<HttpResponse>;
  /**
   * Retries until there is an answer, and parses it with `schema`.
   * @throws AppError `tinker-*` by status, `tinker-unavailable` if there is no answer, `tinker-protocol` if the answer has
   * another shape
   */
  call<Schema extends ZodType>(
    request: TinkerRequest,
    schema: Schema,
    options?: RequestOptions,
  ): Promise<output<Schema>>;
  /** Like `call`, for requests whose answer has no content. */
  run(request: TinkerRequest, options?: RequestOptions): Promise<void>;
  /** Reports that a request's polls wait for an unpaid bill; `text` is that of the answer. */
  reportBlocked(text: string, requestId: string): void;
  /** Notified when polls resume or end, by request id. */
  readonly bill: Pick<ServerNotice, "recovered" | "givenUp">;
  /** True if any request has been answered since `ms` of `Clock.monotonic`. */
  hasAnsweredSince(ms: number): boolean;
  /** Switches from the key to a short-lived token, renewed as needed; `waitsForBills` applies to the first exchange only. */
  exchangeKey(waitsForBills?: boolean): Promise<void>;
}

const submitBudgetMs = 5 * 60_000;

export function createTinkerHttp(options: TinkerHttpOptions): TinkerHttp {
  const { clock, random, apiKey, onToken } = options;
  const redactor = new Redactor();
  redactor.learn(apiKey);
  const watch = new ServerWatch(options);
  const sendWith = createSender(options, watch);
  const reportBlocked = (text: string, name: string): void =>
    watch.blocked(errorDetail(redactor.redact(text)), name);
  const answerTo = createRetrier(options, redactor, reportBlocked);
  const credential = new Credential({
    clock,
    apiKey,
    onToken,
    exchange: async (waitsForBills) => {
      const request: TinkerRequest = { method: "POST", path: "auth/token", body: {} };
      return await answerTo(request, (id) => sendWith(apiKey, request, id), { waitsForBills });
    },
  });

  async function sendOnce(request: TinkerRequest, idempotencyKey: string): Promise<HttpResponse> {
    const used = await credential.current();
    const response = await sendWith(used, request, idempotencyKey);
    if (response.status !== 401 || !isRejectedToken(response)) return response;
    const renewed = await credential.renew(used);
    return renewed === used ? response : await sendWith(renewed, request, idempotencyKey);
  }

  const answerText = (request: TinkerRequest, callOptions?: RequestOptions) =>
    answerTo(request, (id) => sendOnce(request, id), callOptions);

  return {
    send: async (request) => {
      const response = await sendOnce(request, random.uuid());
      return {
        status: response.status,
        header: (name) => response.header(name),
        bytes: () => response.bytes(),
        stream: () => response.stream(),
        text: async () => redactor.redact(await response.text()),
      };
    },
    call: async (request, schema, callOptions) =>
      readJson(await answerText(request, callOptions), schema, request.path),
    run: async (request, callOptions) => {
      await answerText(request, callOptions);
    },
    reportBlocked,
    bill: watch.bill,
    hasAnsweredSince: (ms) => watch.hasAnsweredSince(ms),
    exchangeKey: async (waitsForBills) => {
      await credential.buy(waitsForBills);
    },
  };
}

type AnswerTo = (
  request: TinkerRequest,
  /** Makes a single attempt. */
  send: (idempotencyKey: string) => Promise<HttpResponse>,
  callOptions?: RequestOptions,
) => Promise<string>;

/** Retries a request under one idempotency key until there is an answer, and returns its text with the key redacted on errors. */
function createRetrier(
  options: TinkerHttpOptions,
  redactor: Redactor,
  reportBlocked: (text: string, name: string) => void,
): AnswerTo {
  const { clock, random, log, keySource, billingPauseMs } = options;
  return async (request, send, callOptions = {}) => {
    const { budgetMs, throttle, withTimerPaused } = callOptions;
    const { waitsForBills = budgetMs === undefined } = callOptions;
    const what = `${request.method} ${request.path}`;
    const idempotencyKey = random.uuid();
    const { answer, attempts } = await retryAnswers(
      async () => await readAnswer(await send(idempotencyKey)),
      {
        clock,
        random,
        signal: request.signal,
        budgetMs: budgetMs ?? submitBudgetMs,
        billingPauseMs: waitsForBills ? billingPauseMs() : 0,
        throttle,
        withTimerPaused,
        onBlocked: ({ text }) => reportBlocked(text, request.path),
        onRetry: (reason, delayMs) => log.warn(`Tinker: ${what} is repeated`, { reason, delayMs }),
      },
    ).catch((cause: unknown) => {
      if (!isAppError(cause, "transport")) throw cause;
      const problem = `No answer to ${what}: ${errorMessage(cause)}`;
      throw tinkerError("tinker-unavailable", problem, { cause }, thenStartAgain);
    });
    const { status } = answer;
    if (status >= 200 && status < 300) return answer.text;
    const text = redactor.redact(answer.text);
    throw statusError({ status, text, what, attempts, key: keySource });
  };
}

/** @throws AppError `tinker-protocol` if `text` is not JSON of that shape */
function readJson<Schema extends ZodType>(
  text: string,
  schema: Schema,
  what: string,
): output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw tinkerError("tinker-protocol", `The answer to ${what} is not JSON`, { cause: error });
  }
  return checkShape(value, schema, what);
}

/** @throws AppError `tinker-protocol` if `value` has another shape */
export function checkShape<Schema extends ZodType>(
  value: unknown,
  schema: Schema,
  what: string,
): output<Schema> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const problems = checked.error.issues
    .map((issue) => `${issue.path.join(".") || "body"}: ${issue.message}`)
    .join("; ");
  throw tinkerError("tinker-protocol", `The answer to ${what} has an unknown form (${problems})`);
}

async function readAnswer(response: HttpResponse): Promise<HttpAnswer> {
  return {
    status: response.status,
    text: await response.text(),
    header: (name) => response.header(name),
  };
}

function isRejectedToken(response: HttpResponse): boolean {
  return response.header("www-authenticate")?.includes('error="invalid_token"') ?? false;
}
