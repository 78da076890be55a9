/** A single request and its answer, driven by the connection. Enforces the time and size limits, and handles abort. */

import { AppError } from "../core/errors.ts";
import type { HttpRequest, HttpResponse } from "../core/ports.ts";
import { limitText, REPLY_LIMITS } from "../core/replyLimits.ts";
import { systemClock } from "./clock.ts";
import type { EventLoopThrottle } from "./eventLoopThrottle.ts";
import { ArrivingBody, type BodyFlow } from "./httpBody.ts";
import { connectionFault, timeoutFault, tooLongFault } from "./httpFaults.ts";

/** Operations on the connection. */
interface Connection {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Shared, because creating an error with a stack trace per abandoned request would cost more than the request. */
const GIVEN_UP = new Error("The request was given up");

/** The connection calls the `on…` methods, in this order. */
export class HttpExchange implements BodyFlow {
  /** Rejects with the signal's reason, or AppError `transport`. */
  readonly response: Promise<HttpResponse>;
  readonly #request: HttpRequest;
  readonly #throttle: EventLoopThrottle;
  readonly #stopTimer: (() => void) | undefined;
  readonly #body: ArrivingBody;
  #settle: {
    readonly resolve: (response: HttpResponse) => void;
    readonly reject: (fault: unknown) => void;
  } = { resolve: () => undefined, reject: () => undefined };
  #connection: Connection | null = null;
  #receivedBytes = 0;
  #isOver = false;

  /** Resolves through `throttle`; errors reject immediately. */
  constructor(request: HttpRequest, throttle: EventLoopThrottle) {
    const { signal, timeoutMs } = request;
    this.#request = request;
    this.#throttle = throttle;
    this.response = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#body = new ArrivingBody(this, throttle);
    if (signal?.aborted) {
      this.#fail(signal.reason);
      return;
    }
    if (timeoutMs !== undefined) this.#stopTimer = systemClock.after(timeoutMs, this.#onTimeUp);
    signal?.addEventListener("abort", this.#onAbort);
  }

  /** True when no one is waiting anymore, possibly before it started. */
  get isOver(): boolean {
    return this.#isOver;
  }

  onRequestStart(connection: Connection): void {
    this.#connection = connection;
    if (this.#isOver) connection.abort(GIVEN_UP);
  }

  onResponseStart(_connection: Connection, status: number, headers: Headers): void {
    // An informational status (1xx) precedes the actual answer.
    if (status < 200) return;
    this.#throttle.run(() => this.#settle.resolve(this.#responseOf(status, headers)));
  }

  onResponseData(_connection: Connection, chunk: Buffer): void {
    if (this.#isOver) return;
    const { replyLimit } = this.#request;
    const limitBytes = replyLimit?.bytes ?? REPLY_LIMITS.other;
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes <= limitBytes) {
      this.#body.push(chunk);
      return;
    }
    const limit = limitText(limitBytes);
    this.#giveUp(replyLimit?.fault(limit) ?? tooLongFault(this.#request, limit));
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#end();
    this.#body.complete();
  }

  onResponseError(_connection: Connection | undefined, error: unknown): void {
    this.fail(error);
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  abandon(): void {
    this.#giveUp(GIVEN_UP);
  }

  /** Fails the exchange with a connection error. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#fail(error instanceof AppError ? error : connectionFault(this.#request, error));
  }

  readonly #onAbort = (): void => this.#giveUp(this.#request.signal?.reason);
  readonly #onTimeUp = (): void =>
    this.#giveUp(timeoutFault(this.#request, this.#connection !== null));

  #giveUp(fault: unknown): void {
    if (this.#isOver) return;
    this.#fail(fault);
    this.#connection?.abort(GIVEN_UP);
  }

  #fail(fault: unknown): void {
    this.#end();
    this.#settle.reject(fault);
    this.#body.fail(fault);
  }

  #end(): void {
    this.#isOver = true;
    this.#stopTimer?.();
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
  }

  #responseOf(status: number, headers: Headers): HttpResponse {
    const body = this.#body;
    return {
      status,
      header: (name) => headerValue(headers[name.toLowerCase()]),
      bytes: () => body.bytes(),
      text: () => body.text(),
      stream: () => body.stream(),
    };
  }
}

function headerValue(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : value.join(", ");
}
