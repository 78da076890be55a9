import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import {
  type TicketLimits,
  type TicketResult,
  Tickets,
} from "../../../../src/local/engine/service/tickets.ts";
import { FakeClock, settle } from "../../../fakes/fakeClock.ts";
import { silentLog } from "../../../fakes/silentLog.ts";

const done: TicketResult = { kind: "json", body: { type: "done" } };
const open = new AbortController().signal;

function setUp(limits: Partial<TicketLimits> = {}) {
  const clock = new FakeClock();
  const tickets = new Tickets({
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
  return { clock, tickets };
}

describe("Tickets", () => {
  it("holds a poll until the result is there, and serves overlapping polls alike", async () => {
    const { clock, tickets } = setUp();
    tickets.submit("a", "body", () => clock.sleep(29_000).then(() => done));
    const polls = [tickets.poll("a", open), tickets.poll("a", open)];
    await clock.advance(29_000);
    expect(await Promise.all(polls)).toEqual([done, done]);
  });

  it("ends a poll without result after the holding time, and leaves no timer behind", async () => {
    const { clock, tickets } = setUp();
    tickets.submit("a", "body", () => new Promise(() => undefined));
    expect(await clock.run(tickets.poll("a", open))).toBeNull();
    expect(clock.monotonic()).toBe(30_000);
    expect(clock.sleeping).toBe(0);
  });

  it("stops holding when the client is gone", async () => {
    const { clock, tickets } = setUp();
    const gone = new AbortController();
    tickets.submit("a", "body", () => new Promise(() => undefined));
    const poll = tickets.poll("a", gone.signal);
    gone.abort();
    expect(await poll).toBeNull();
    expect(clock.sleeping).toBe(0);
  });

  it("runs the same submit once, and refuses another body with 409", async () => {
    const { tickets } = setUp();
    let runs = 0;
    const start = async () => {
      runs += 1;
      return done;
    };
    tickets.submit("a", "body", start);
    tickets.submit("a", "body", start);
    expect(() => tickets.submit("a", "other", start)).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ status: 409 }) }),
    );
    expect(runs).toBe(1);
  });

  it("keeps no ticket for a submit that is refused at once", async () => {
    const { tickets } = setUp();
    const refuse = () => {
      throw new AppError("http-refused", "used up", { data: { status: 409 } });
    };
    expect(() => tickets.submit("a", "body", refuse)).toThrow("used up");
    await expect(tickets.poll("a", open)).rejects.toMatchObject({ data: { status: 404 } });
  });

  it("reports a mistake of the caller as user and a fault of the engine as server", async () => {
    const { tickets } = setUp();
    tickets.submit("a", "x", async () => {
      throw new AppError("invalid-request", "NaN advantage");
    });
    tickets.submit("b", "x", async () => {
      throw new AppError("engine-worker", "a thread stopped");
    });
    expect(await tickets.poll("a", open)).toEqual({
      kind: "failed",
      error: "NaN advantage",
      category: "user",
    });
    expect(await tickets.poll("b", open)).toMatchObject({ category: "server" });
  });

  it("tells the operation when it is cancelled, and ignores unknown ids", async () => {
    const { tickets } = setUp();
    tickets.submit("a", "body", async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw signal.reason;
    });
    tickets.cancel("a");
    tickets.cancel("unknown");
    expect(await tickets.poll("a", open)).toMatchObject({ kind: "failed", category: "user" });
  });

  it("keeps a retrieved result for a while and then answers 410", async () => {
    const { clock, tickets } = setUp();
    tickets.submit("a", "body", async () => done);
    await tickets.poll("a", open);
    await clock.advance(59_000);
    expect(await tickets.poll("a", open)).toEqual(done);
    await clock.advance(1_000);
    tickets.submit("b", "body", async () => done);
    await settle();
    await expect(tickets.poll("a", open)).rejects.toMatchObject({ data: { status: 410 } });
  });

  it("drops the oldest results first when there are too many", async () => {
    const { tickets } = setUp({ maxFinished: 2 });
    for (const id of ["a", "b", "c"]) tickets.submit(id, "body", async () => done);
    await settle();
    await expect(tickets.poll("a", open)).rejects.toMatchObject({ data: { status: 410 } });
    expect(await tickets.poll("b", open)).toEqual(done);
    expect(await tickets.poll("c", open)).toEqual(done);
  });

  it("drops the oldest results first when they are too large", async () => {
    const { tickets } = setUp({ maxFinishedBytes: 1_000 });
    const large: TicketResult = {
      kind: "tensors",
      sizeBytes: 600,
      toProtobuf: () => new Uint8Array(0),
      toJson: () => ({}),
    };
    tickets.submit("a", "body", async () => large);
    tickets.submit("b", "body", async () => large);
    await settle();
    await expect(tickets.poll("a", open)).rejects.toMatchObject({ data: { status: 410 } });
    expect(await tickets.poll("b", open)).toBe(large);
  });

  it("does not run a dropped operation again", async () => {
    const { tickets } = setUp({ maxFinished: 1 });
    tickets.submit("a", "body", async () => done);
    tickets.submit("b", "body", async () => done);
    await settle();
    tickets.submit("a", "body", () => Promise.reject(new Error("ran twice")));
    await expect(tickets.poll("a", open)).rejects.toMatchObject({ data: { status: 410 } });
  });
});
