/** Reads server-sent events from bytes, and detects silent streams: `docs/protocols/openreward.md#streams`. */

import { createParser } from "eventsource-parser";
import { AppError } from "../errors.ts";
import type { Clock } from "../ports.ts";

export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/** Splits bytes into events: LF, CRLF or CR line endings, at most one space stripped from a value, data lines joined by LF. */
export class EventReader {
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    onEvent: ({ event, data }) => this.#events.push({ name: event ?? "message", data }),
  });
  #events: StreamEvent[] = [];
  #endedWithCr = false;

  /** The events completed by this chunk. */
  read(chunk: Uint8Array): readonly StreamEvent[] {
    let text = this.#decoder.decode(chunk, { stream: true });
    // The parser holds back a CR at the end of a chunk, which would delay an event until the next byte.
    if (this.#endedWithCr && text.startsWith("\n")) text = text.slice(1);
    if (text !== "") this.#endedWithCr = text.endsWith("\r");
    this.#events = [];
    this.#parser.feed(text.replace(/\r\n?/g, "\n"));
    return this.#events;
  }
}

/** Detects when an event stream goes silent, with a single timer per stream however many bytes arrive. */
export class IdleTimeout {
  readonly #clock: Clock;
  readonly #onSilence: (reason: AppError) => void;
  #limitMs = 0;
  #lastSignMs: number;
  #stopTimer: () => void = () => undefined;

  /** `onSilence` is called with AppError `silent` and must end the stream. */
  constructor(clock: Clock, onSilence: (reason: AppError) => void) {
    this.#clock = clock;
    this.#onSilence = onSilence;
    this.#lastSignMs = clock.monotonic();
  }

  /** When the last byte arrived, or when this was created. */
  get lastSignMs(): number {
    return this.#lastSignMs;
  }

  /** Starts the timeout with this limit on silence. */
  start(limitMs: number): void {
    this.#limitMs = limitMs;
    this.#wait(this.#clock.monotonic(), limitMs);
  }

  reset(): void {
    this.#lastSignMs = this.#clock.monotonic();
  }

  stop(): void {
    this.#stopTimer();
  }

  #wait(sinceMs: number, waitMs: number): void {
    this.#stopTimer();
    this.#stopTimer = this.#clock.after(waitMs, () => {
      const restMs = Math.max(sinceMs, this.#lastSignMs) + this.#limitMs - this.#clock.monotonic();
      if (restMs > 0) this.#wait(sinceMs, restMs);
      else
        this.#onSilence(
          new AppError("silent", "The event stream went silent. It is opened again."),
        );
    });
  }
}
