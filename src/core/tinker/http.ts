/** Requests to one Tinker server: address, headers, credential, retries, error bodies. Knows no endpoint but the token exchange. */

import type { output, ZodType } from "zod";
import { errorMessage, isAppError } from "../errors.ts";
import type { Clock, HttpClient, HttpResponse, Log, Random } from "../ports.ts";
import { REPLY_LIMITS } from "../replyLimits.ts";
import type { KeySource } from "../secrets/keySource.ts";
import { Redactor } from "../secrets/redaction/redactor.ts";
import { OutageNotice } from "../util/outageNotice.ts";
import type { WithTimerPaused } from "../util/withTimerPaused.ts";
import { createCredential } from "./credential.ts";
import { statusError, tinkerError } from "./errors.ts";
import { type Answer, retryAnswers, type Throttle } from "./retry.ts";
import { deprecationNotes, type OnServerMessage } from "./serverMessage.ts";

export interface TinkerHttpOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** For messages about the key. */
  readonly keySource?: KeySource | undefined;
  /** Called with each short-lived token that replaces the key. */
  readonly onToken?: ((token: string) => void) | undefined;
  readonly onMessage?: OnServerMessage | undefined;
  /** How long a blocked account (402) is waited for; asked at every call. */
  readonly billingPauseMs: () => number;
}

export interface TinkerRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/api/v1/`; ids are written as they are. */
  readonly path: string;
  /** A message's bytes, or what becomes JSON (undefined members vanish, null ones travel). */
  readonly body?: object | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface CallOptions {
  /** Limit of all tries together; 0 = one try. */
  readonly budgetMs?: number;
  /** Asked before each try; absent = tries wait for nothing, and a 429 is followed by a back-off. */
  readonly throttle?: Throttle | undefined;
  /** Runs waits for the throttle and for unpaid bills. */
  readonly withTimerPaused?: WithTimerPaused | undefined;
}

export interface TinkerHttp {
  /** One try, whatever the status; the text never quotes the key. @throws AppError `transport` */
  send(request: TinkerRequest): Promise<HttpResponse>;
  /**
   * Repeats until there is an answer, and reads it by `schema`.
   * @throws AppError `tinker-*` by status, `tinker-unavailable` without any, `tinker-protocol` for an answer of another shape
   */
  call<Schema extends ZodType>(
    request: TinkerRequest,
    schema: Schema,
    options?: CallOptions,
  ): Promise<output<Schema>>;
  /** Like `call` for requests whose answer has no content. */
  run(request: TinkerRequest, options?: CallOptions): Promise<void>;
  /** From now on a short-lived token, renewed as needed, stands in for the key. */
  exchangeKey(): Promise<void>;
}

export const protobufType = "application/x-protobuf";
const defaultTimeoutMs = 60_000;
const submitBudgetMs = 5 * 60_000;

export function createTinkerHttp(options: TinkerHttpOptions): TinkerHttp {
  const { http, clock, random, log, apiKey } = options;
  const root = `${options.baseUrl.replace(/\/+$/, "")}/api/v1/`;
  const redactor = new Redactor();
  redactor.learn(apiKey);
  const noteDeprecation = deprecationNotes(options.onMessage);
  const outage = outageOf(options);
  const post = async (key: string, request: TinkerRequest, idempotencyKey: string) => {
    const sending = http.send({
      method: request.method,
      url: root + request.path,
      headers: headersOf(request, key, idempotencyKey),
      ...encodedBody(request.body),
      timeoutMs: request.timeoutMs ?? defaultTimeoutMs,
      replyLimit: {
        bytes: REPLY_LIMITS.tinker,
        fault: (limit) =>
          tinkerError(
            "tinker-protocol",
            `The answer to ${request.method} ${request.path} is longer than ${limit}`,
          ),
      },
      ...(request.signal && { signal: request.signal }),
    });
    const response = await watched(sending, outage);
    noteDeprecation(response);
    return response;
  };
  const credential = createCredential({
    clock,
    apiKey,
    onToken: options.onToken,
    exchange: async () => {
      const request: TinkerRequest = { method: "POST", path: "auth/token", body: {} };
      return await answerTo(request, (key) => post(apiKey, request, key));
    },
  });

  async function sendOnce(request: TinkerRequest, idempotencyKey: string): Promise<HttpResponse> {
    const used = await credential.current();
    const response = await post(used, request, idempotencyKey);
    if (response.status !== 401 || !isRejectedToken(response)) return response;
    const renewed = await credential.renew(used);
    return renewed === used ? response : await post(renewed, request, idempotencyKey);
  }

  async function answerTo(
    request: TinkerRequest,
    send: (idempotencyKey: string) => Promise<HttpResponse>,
    callOptions: CallOptions = {},
  ): Promise<string> {
    const what = `${request.method} ${request.path}`;
    const idempotencyKey = random.uuid();
    const { answer, attempts } = await retryAnswers(
      async () => await readAnswer(await send(idempotencyKey)),
      {
        clock,
        random,
        signal: request.signal,
        budgetMs: callOptions.budgetMs ?? submitBudgetMs,
        billingPauseMs: options.billingPauseMs(),
        throttle: callOptions.throttle,
        withTimerPaused: callOptions.withTimerPaused,
        onRetry: (reason, delayMs) => log.warn(`Tinker: ${what} is repeated`, { reason, delayMs }),
      },
    ).catch((error: unknown) => {
      if (!isAppError(error, "transport")) throw error;
      throw tinkerError("tinker-unavailable", `No answer to ${what}: ${errorMessage(error)}`, {
        cause: error,
      });
    });
    if (answer.status >= 200 && answer.status < 300) return answer.text;
    throw statusError({
      status: answer.status,
      text: redactor.redact(answer.text),
      what,
      attempts,
      key: options.keySource,
    });
  }

  const answerText = (request: TinkerRequest, callOptions?: CallOptions) =>
    answerTo(request, (key) => sendOnce(request, key), callOptions);

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
    exchangeKey: credential.start,
  };
}

/** @throws AppError `tinker-protocol` when `text` is no JSON of that shape */
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

/** @throws AppError `tinker-protocol` when `value` has another shape */
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

function headersOf(
  request: TinkerRequest,
  key: string,
  idempotencyKey: string,
): Readonly<Record<string, string>> {
  return {
    Accept: "application/json",
    "User-Agent": "tinker-rl",
    "X-API-Key": key,
    ...(request.method !== "GET" && { "X-Idempotency-Key": idempotencyKey }),
    ...(request.body !== undefined && {
      "Content-Type": request.body instanceof Uint8Array ? protobufType : "application/json",
    }),
    ...request.headers,
  };
}

function encodedBody(body: TinkerRequest["body"]): { readonly body?: string | Uint8Array } {
  if (body === undefined) return {};
  return { body: body instanceof Uint8Array ? body : JSON.stringify(body) };
}

function outageOf({ clock, onMessage }: TinkerHttpOptions): OutageNotice {
  return new OutageNotice({
    clock,
    onOutage: (reason) => {
      const text = `It gives no answer (${reason}). The run waits and asks again.`;
      onMessage?.({ level: "warn", text });
    },
    onRecovered: () => onMessage?.({ level: "info", text: "It answers again." }),
  });
}

/** Notes whether the server answered. */
async function watched(
  sending: Promise<HttpResponse>,
  outage: OutageNotice,
): Promise<HttpResponse> {
  try {
    const response = await sending;
    const { status } = response;
    if (status === 402) outage.failed("status 402, the account's billing is blocked");
    else if (status >= 500) outage.failed(`status ${status}`);
    else outage.recovered();
    return response;
  } catch (error) {
    if (isAppError(error, "transport")) outage.failed(errorMessage(error.cause ?? error));
    throw error;
  }
}

async function readAnswer(response: HttpResponse): Promise<Answer> {
  return {
    status: response.status,
    text: await response.text(),
    header: (name) => response.header(name),
  };
}

function isRejectedToken(response: HttpResponse): boolean {
  return response.header("www-authenticate")?.includes('error="invalid_token"') ?? false;
}
