import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import {
  deadline,
  linkSignals,
  raceAbort,
  timeoutError,
  withLimit,
} from "../../../src/core/util/abort.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { untilAborted } from "../../fakes/fakeHttp.ts";

const reason = new AppError("stopped", "The run was asked to stop.");

function limitOf(clock: FakeClock, limitMs: number | null, ...parents: AbortSignal[]) {
  return { clock, limitMs, onLimit: () => timeoutError("Breakfast", limitMs), parents };
}

describe("a linked signal", () => {
  it("is aborted with the first of its parents, with that parent's reason", () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const link = linkSignals([undefined, first.signal, second.signal]);
    second.abort(reason);
    first.abort("later");
    expect(link.signal.reason).toBe(reason);
    expect(linkSignals([first.signal]).signal.reason).toBe("later");
  });

  it("can be aborted by itself, and releases its parents", () => {
    const parent = new AbortController();
    const [own, free] = [linkSignals([parent.signal]), linkSignals([parent.signal])];
    own.abort(reason);
    free.clear();
    parent.abort("later");
    expect([own.signal.reason, free.signal.aborted]).toEqual([reason, false]);
  });
});

describe("a deadline", () => {
  it("pauses while something else is awaited", async () => {
    const clock = new FakeClock();
    const limit = deadline(limitOf(clock, 1_000));
    await clock.advance(600);
    let arrive = (): void => undefined;
    const waiting = limit.withTimerPaused(
      () =>
        new Promise<void>((resolve) => {
          arrive = resolve;
        }),
    );
    await clock.advance(5_000);
    expect(limit.isExpired()).toBe(false);
    arrive();
    await waiting;
    await clock.advance(399);
    expect(limit.isExpired()).toBe(false);
    await clock.advance(1);
    expect(limit.isExpired()).toBe(true);
  });

  it("aborts when its time is up, and knows that this was the cause", async () => {
    const clock = new FakeClock();
    const limit = deadline(limitOf(clock, 1_500));
    await clock.advance(1_499);
    expect([limit.signal.aborted, limit.isExpired()]).toEqual([false, false]);
    await clock.advance(1);
    expect([limit.signal.aborted, limit.isExpired()]).toEqual([true, true]);
    expect(limit.signal.reason).toMatchObject({
      code: "timeout",
      message: "Breakfast took longer than 1.5 s.",
    });
  });

  it("follows its parent, whether aborted before or after its creation", async () => {
    const clock = new FakeClock();
    const late = new AbortController();
    const limits = [
      deadline(limitOf(clock, 1_000, AbortSignal.abort(reason))),
      deadline(limitOf(clock, 1_000, late.signal)),
    ];
    late.abort(reason);
    expect(limits.map(({ signal }) => signal.reason)).toEqual([reason, reason]);
    await clock.advance(2_000);
    expect(limits.some((limit) => limit.isExpired())).toBe(false);
  });

  it("leaves nothing behind once it is cleared", async () => {
    const clock = new FakeClock();
    const parent = new AbortController();
    const limit = deadline(limitOf(clock, 1_000, parent.signal));
    limit.clear();
    await clock.advance(2_000);
    parent.abort(reason);
    expect([limit.signal.aborted, clock.sleeping]).toEqual([false, 0]);
  });

  it("has no time limit if none is given", () => {
    const clock = new FakeClock();
    deadline(limitOf(clock, null));
    expect(clock.sleeping).toBe(0);
  });
});

describe("a part of work under a time limit", () => {
  const wait = (clock: FakeClock, ms: number) => () => clock.sleep(ms);
  const partOf = (limitMs: number | null) => ({
    limitMs,
    onLimit: () => timeoutError("The toast", limitMs),
  });
  const setUp = (limitMs: number | null = 10_000) => {
    const clock = new FakeClock();
    const limit = deadline(limitOf(clock, limitMs));
    return { clock, limit };
  };

  it("aborts everything when it takes too long, without counting as the overall timeout", async () => {
    const { clock, limit } = setUp();
    const part = limit.runPart(partOf(1_000), () =>
      untilAborted(limit.signal).catch(() => {
        throw new TypeError("fetch failed");
      }),
    );
    await expect(clock.run(part)).rejects.toThrow("The toast took longer than 1 s.");
    expect(limit.signal.reason).toMatchObject({ code: "timeout" });
    expect(limit.isExpired()).toBe(false);
  });

  it("leaves nothing behind when it is done, and the next part has its own time", async () => {
    const { clock, limit } = setUp();
    for (let part = 0; part < 3; part++) {
      await clock.run(limit.runPart(partOf(1_000), wait(clock, 900)));
    }
    limit.clear();
    expect([limit.signal.aborted, clock.sleeping]).toEqual([false, 0]);
  });

  it("pauses only its own timer", async () => {
    const { clock, limit } = setUp();
    const part = limit.runPart(partOf(1_000), (paused) => paused(wait(clock, 20_000)));
    await clock.run(part);
    expect(limit.isExpired()).toBe(true);
  });

  it("continues while the outer timer is paused", async () => {
    const { clock, limit } = setUp();
    const part = limit.runPart(partOf(1_000), () =>
      limit.withTimerPaused(() => untilAborted(limit.signal)),
    );
    await expect(clock.run(part)).rejects.toThrow("The toast");
  });

  it("pauses together with the whole on request, even with overlapping parts", async () => {
    const { clock, limit } = setUp();
    const follows = { ...partOf(1_000), isPausedWithWhole: true };
    await clock.run(limit.runPart(follows, () => limit.withTimerPaused(wait(clock, 20_000))));
    expect([limit.signal.aborted, clock.sleeping]).toEqual([false, 1]);
    const late = limit.runPart(follows, () =>
      limit.withTimerPaused(wait(clock, 5_000)).then(() => untilAborted(limit.signal)),
    );
    await expect(clock.run(late)).rejects.toThrow("The toast");
  });

  it("has no time of its own without a limit, and fails as the whole does", async () => {
    const { clock, limit } = setUp(500);
    const part = limit.runPart(partOf(null), () => untilAborted(limit.signal));
    await expect(clock.run(part)).rejects.toThrow("Breakfast");
  });
});

describe("an action under a limit", () => {
  const run = (limitMs: number | null, action: (signal: AbortSignal) => Promise<string>) => {
    const clock = new FakeClock();
    const parent = new AbortController();
    const result = withLimit(limitOf(clock, limitMs, parent.signal), ({ signal }) =>
      action(signal),
    );
    return { clock, parent, result };
  };

  it("returns its result and leaves no timer", async () => {
    const { clock, result } = run(1_000, async () => "done");
    expect([await result, clock.sleeping]).toEqual(["done", 0]);
  });

  it("fails with a timeout, however it handles the abort", async () => {
    const { clock, result } = run(1_000, async (signal) => {
      await untilAborted(signal).catch(() => undefined);
      throw new TypeError("fetch failed");
    });
    await expect(clock.run(result)).rejects.toMatchObject({ code: "timeout" });
  });

  it("fails with its own error, or the parent's reason, if its time is not up", async () => {
    const own = new AppError("transport", "The line is cut.");
    await expect(run(1_000, () => Promise.reject(own)).result).rejects.toBe(own);
    const { parent, result } = run(1_000, untilAborted);
    parent.abort(reason);
    await expect(result).rejects.toBe(reason);
  });
});

describe("work that may be abandoned", () => {
  const never = new Promise<string>(() => undefined);

  it("returns its result if nothing is stopped", async () => {
    const { signal } = new AbortController();
    await expect(raceAbort(Promise.resolve("connected"), signal)).resolves.toBe("connected");
  });

  it("is no longer awaited once the signal aborts, before or during it", async () => {
    const control = new AbortController();
    const waiting = raceAbort(never, control.signal);
    control.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(raceAbort(never, control.signal)).rejects.toBe(reason);
  });
});
