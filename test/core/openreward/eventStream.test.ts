import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  EventReader,
  IdleTimeout,
  type StreamEvent,
} from "../../../src/core/openreward/eventStream.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";

function* inChunks(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  let position = 0;
  for (const size of sizes) {
    yield bytes.slice(position, position + size);
    position += size;
  }
  yield bytes.slice(position);
}

function eventsOf(text: string, sizes: readonly number[] = []): readonly StreamEvent[] {
  const reader = new EventReader();
  const bytes = new TextEncoder().encode(text);
  return [...inChunks(bytes, sizes)].flatMap((chunk) => reader.read(chunk));
}

const transcript = [
  "event: task_id",
  "data: 4b1c",
  "",
  ": ping - 2026-11-20 14:23:56+00:00",
  "",
  "event: chunk",
  "data: two spaces follow: ",
  "",
  "event: chunk",
  "data:   and two lead, 😀",
  "",
  "event: error",
  "data: first line",
  "data: ",
  "data: third line",
  "",
  "event: end",
  "data:",
  "",
  "",
];

const expected: readonly StreamEvent[] = [
  { name: "task_id", data: "4b1c" },
  { name: "chunk", data: "two spaces follow: " },
  { name: "chunk", data: "  and two lead, 😀" },
  { name: "error", data: "first line\n\nthird line" },
  { name: "end", data: "" },
];

describe("a reader of events", () => {
  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("reads the same events with %s line endings, wherever the chunks are split", (_, lineEnd) => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 40 }), (sizes) => {
        expect(eventsOf(transcript.join(lineEnd), sizes)).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  it("emits an event as soon as its blank line arrives, even if that ends in CR", () => {
    expect(eventsOf("event: end\r\ndata: x\r\n\r")).toEqual([{ name: "end", data: "x" }]);
  });

  it("ignores unknown fields", () => {
    const events = eventsOf("id: 7\nretry: 5\ncolor: red\nevent: end\ndata: x\n\n");
    expect(events).toEqual([{ name: "end", data: "x" }]);
  });
});

describe("a watch for silence", () => {
  it("fires after the limit without a keep-alive, with a single timer for all", async () => {
    const clock = new FakeClock();
    const reasons: unknown[] = [];
    const watch = new IdleTimeout(clock, (reason) => reasons.push(reason));
    watch.start(30_000);
    for (let sign = 0; sign < 3; sign++) {
      await clock.advance(29_000);
      watch.reset();
    }
    await clock.advance(29_999);
    expect(reasons).toEqual([]);
    await clock.advance(1);
    expect(reasons).toMatchObject([{ code: "silent" }]);
    expect(watch.lastSignMs).toBe(3 * 29_000);
  });

  it("restarts with another limit, and ends when stopped", async () => {
    const clock = new FakeClock();
    let calls = 0;
    const watch = new IdleTimeout(clock, () => {
      calls += 1;
    });
    watch.start(30_000);
    await clock.advance(29_000);
    watch.start(250);
    await clock.advance(249);
    expect(calls).toBe(0);
    await clock.advance(1);
    expect(calls).toBe(1);
    watch.start(250);
    watch.stop();
    await clock.advance(60_000);
    expect(calls).toBe(1);
  });
});
