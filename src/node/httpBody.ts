/** A response body in transit: unread chunks, and the reader waiting for more. */

import type { EventLoopThrottle } from "./eventLoopThrottle.ts";

/** Pauses the sender at this many unread bytes, unless the whole body is being read. */
const UNREAD_LIMIT = 64 * 1024;
const BYTE_ORDER_MARK = 0xfeff;

/** Flow control of the connection. */
export interface BodyFlow {
  pause(): void;
  resume(): void;
  /** Stops reading the rest. */
  abandon(): void;
}

export class ArrivingBody {
  readonly #flow: BodyFlow;
  readonly #throttle: EventLoopThrottle;
  #chunks: Buffer[] = [];
  #unreadBytes = 0;
  #isWholeWanted = false;
  #isComplete = false;
  #failure: { readonly fault: unknown } | null = null;
  #wakeReader: (() => void) | null = null;

  /** The reader is resumed through `throttle`. */
  constructor(flow: BodyFlow, throttle: EventLoopThrottle) {
    this.#flow = flow;
    this.#throttle = throttle;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    if (this.#isWholeWanted) return;
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes >= UNREAD_LIMIT) this.#flow.pause();
    this.#wake();
  }

  complete(): void {
    this.#isComplete = true;
    this.#wake();
  }

  /** All reads throw `fault` from now on. */
  fail(fault: unknown): void {
    this.#failure = { fault };
    this.#chunks = [];
    this.#wake();
  }

  async bytes(): Promise<Uint8Array> {
    const chunks = await this.#whole();
    const [only] = chunks;
    if (only !== undefined && chunks.length === 1) return only;
    const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  }

  async text(): Promise<string> {
    const [first, ...others] = await this.#whole();
    if (first === undefined) return "";
    const text = (others.length === 0 ? first : Buffer.concat([first, ...others])).toString();
    return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          this.#countRead(chunk.length);
          yield chunk;
        } else if (this.#isOver()) {
          return;
        } else {
          await this.#change();
        }
      }
    } finally {
      if (!this.#isComplete) this.#flow.abandon();
    }
  }

  async #whole(): Promise<readonly Buffer[]> {
    this.#isWholeWanted = true;
    this.#flow.resume();
    if (!this.#isOver()) await this.#change();
    this.#isOver();
    return this.#chunks.splice(0);
  }

  #isOver(): boolean {
    if (this.#failure !== null) throw this.#failure.fault;
    return this.#isComplete;
  }

  #countRead(bytes: number): void {
    const wasFull = this.#unreadBytes >= UNREAD_LIMIT;
    this.#unreadBytes -= bytes;
    if (wasFull && this.#unreadBytes < UNREAD_LIMIT) this.#flow.resume();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeReader = resolve;
    });
  }

  #wake(): void {
    const wake = this.#wakeReader;
    this.#wakeReader = null;
    if (wake !== null) this.#throttle.run(wake);
  }
}
