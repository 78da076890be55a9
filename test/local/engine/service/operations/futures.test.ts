import { describe, expect, it } from "vitest";
import { AppError } from "../../../../../src/core/errors.ts";
import {
  type FutureLimits,
  Futures,
  type OperationResult,
} from "../../../../../src/local/engine/service/operations/futures.ts";
import { FakeClock, settle } from "../../../../fakes/fakeClock.ts";
import { silentLog } from "../../../../fakes/silentLog.ts";

const done: OperationResult = { kind: "json", body: { type: "done" } };
const open = new AbortController().signal;

function setUp(limits: Partial<FutureLimits> = {}) {
  const clock = new FakeClock();
  const futures = new Futures({
    clock,
    log: silentLog,
    limits: {
      holdMs: 30_000,
      keepRetrievedMs: 60_000,
      maxFinished: 100,
      maxFinishedBytes: 1e9,
      ...limits,
    },
  });
  return { clock, futures };
}

describe("Futures", () => {
  it("holds a poll until the result is available, and serves concurrent polls alike", async () => {
    const { clock, futures } = setUp();
    futures.submit("a", "body", () => clock.sleep(29_000).then(() => done));
    const polls = [futures.poll("a", open), futures.poll("a", open)];
    await clock.advance(29_000);
    expect(await Promise.all(polls)).toEqual([done, done]);
  });

  it("ends a poll without result after the holding time, and leaves no timer behind", async () => {
    const { clock, futures } = setUp();
    futures.submit("a", "body", () => new Promise(() => undefined));
    expect(await clock.run(futures.poll("a", open))).toBeNull();
    expect(clock.monotonic()).toBe(30_000);
    expect(clock.sleeping).toBe(0);
  });

  it("stops holding when the client disconnects", async () => {
    const { clock, futures } = setUp();
    const gone = new AbortController();
    futures.submit("a", "body", () => new Promise(() => undefined));
    const poll = futures.poll("a", gone.signal);
    gone.abort();
    expect(await poll).toBeNull();
    expect(clock.sleeping).toBe(0);
  });

  it("runs the same submit once, and rejects another body with 409", async () => {
    const { futures } = setUp();
    let runs = 0;
    const start = async () => {
      runs += 1;
      return done;
    };
    futures.submit("a", "body", start);
    futures.submit("a", "body", start);
    expect(() => futures.submit("a", "other", start)).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ status: 409 }) }),
    );
    expect(runs).toBe(1);
  });

  it("keeps no future for a submit that is rejected immediately", async () => {
    const { futures } = setUp();
    const refuse = () => {
      throw new AppError("http-refused", "used up", { data: { status: 409 } });
    };
    expect(() => futures.submit("a", "body", refuse)).toThrow("used up");
    await expect(futures.poll("a", open)).rejects.toMatchObject({ data: { status: 404 } });
  });

  it("reports a caller's mistake as user and an engine error as server", async () => {
    const { futures } = setUp();
    futures.submit("a", "x", async () => {
      throw new AppError("invalid-request", "NaN advantage");
    });
    futures.submit("b", "x", async () => {
      throw new AppError("engine-worker", "a thread stopped");
    });
    expect(await futures.poll("a", open)).toEqual({
      kind: "failed",
      error: "NaN advantage",
      category: "user",
    });
    expect(await futures.poll("b", open)).toMatchObject({ category: "server" });
  });

  it("notifies the operation when it is canceled, and ignores unknown ids", async () => {
    const { futures } = setUp();
    futures.submit("a", "body", async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw signal.reason;
    });
    futures.cancel("a");
    futures.cancel("unknown");
    expect(await futures.poll("a", open)).toMatchObject({ kind: "failed", category: "user" });
  });

  it("keeps a retrieved result for a while and then answers 410", async () => {
    const { clock, futures } = setUp();
    futures.submit("a", "body", async () => done);
    await futures.poll("a", open);
    await clock.advance(59_000);
    expect(await futures.poll("a", open)).toEqual(done);
    await clock.advance(1_000);
    futures.submit("b", "body", async () => done);
    await settle();
    await expect(futures.poll("a", open)).rejects.toMatchObject({ data: { status: 410 } });
  });

  it("drops the oldest results first when there are too many", async () => {
    const { futures } = setUp({ maxFinished: 2 });
    for (const id of ["a", "b", "c"]) futures.submit(id, "body", async () => done);
    await settle();
    await expect(futures.poll("a", open)).rejects.toMatchObject({ data: { status: 410 } });
    expect(await futures.poll("b", open)).toEqual(done);
    expect(await futures.poll("c", open)).toEqual(done);
  });

  it("drops the oldest results first when they are too large", async () => {
    const { futures } = setUp({ maxFinishedBytes: 1_000 });
    const large: OperationResult = {
      kind: "tensors",
      sizeBytes: 600,
      toProtobuf: () => new Uint8Array(0),
      toJson: () => ({}),
    };
    futures.submit("a", "body", async () => large);
    futures.submit("b", "body", async () => large);
    await settle();
    await expect(futures.poll("a", open)).rejects.toMatchObject({ data: { status: 410 } });
    expect(await futures.poll("b", open)).toBe(large);
  });

  it("does not run a dropped operation again", async () => {
    const { futures } = setUp({ maxFinished: 1 });
    futures.submit("a", "body", async () => done);
    futures.submit("b", "body", async () => done);
    await settle();
    futures.submit("a", "body", () => Promise.reject(new Error("ran twice")));
    await expect(futures.poll("a", open)).rejects.toMatchObject({ data: { status: 410 } });
  });
});
