/** Owns the reading of SSE: bytes to events, and the detection of silence (ORS, section 5.4). */

import { createParser } from "eventsource-parser";
import { AppError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { stopTimer } from "../util/abort.ts";

export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/** Splits bytes into events: LF, CRLF or CR line ends, at most one space stripped from a value, data lines joined by LF. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  const events: StreamEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push({ name: event ?? "message", data }),
  });
  let endedWithCr = false;
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    // The parser holds a CR at the end of a chunk back, which would delay an event until the next byte.
    if (endedWithCr && text.startsWith("\n")) text = text.slice(1);
    if (text !== "") endedWithCr = text.endsWith("\r");
    parser.feed(text.replace(/\r\n?/g, "\n"));
    yield* events.splice(0);
  }
}

/** The chunks of a stream as they come; any byte counts as life. @throws AppError `silent` after `limitMs()` without one */
export async function* withSilenceLimit(
  chunks: AsyncIterable<Uint8Array>,
  clock: Clock,
  limitMs: () => number,
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  for (;;) {
    const step = await beforeSilence(iterator.next(), clock, limitMs());
    if (step.done) return;
    yield step.value;
  }
}

/** The next sign of life. @throws AppError `silent` when it does not come within `limitMs` */
export async function beforeSilence<T>(
  next: Promise<T>,
  clock: Clock,
  limitMs: number,
): Promise<T> {
  const timer = new AbortController();
  const silence = clock.sleep(limitMs, timer.signal).then(
    () => null,
    () => null,
  );
  const sign = next.then((value) => ({ value }));
  const first = await Promise.race([sign, silence]).finally(() => stopTimer(timer));
  if (first !== null) return first.value;
  // The owner ends the request now; the pending read fails then, and nobody waits for it any more.
  sign.catch(() => undefined);
  throw new AppError("silent", "The event stream went silent. It is opened again.");
}
