import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deadline, timeoutError } from "../../src/core/util/abort.ts";
import { systemClock } from "../../src/node/clock.ts";
import { RunningTime } from "../../src/node/runningTime.ts";

let skippedMs = 0;

/** Time that advances with the fake timers, plus the time that a test skips. */
function startTime(): RunningTime {
  skippedMs = 0;
  return new RunningTime(() => Date.now() + skippedMs);
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("time in which the program was running", () => {
  it("advances while nothing reads it, but not while suspended", async () => {
    const time = startTime();
    expect(time.now()).toBe(0);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(time.now()).toBe(3_600_000);
    skippedMs += 3_600_000;
    expect(time.now()).toBe(3_600_000);
    skippedMs += 60_000;
    await vi.advanceTimersByTimeAsync(1_000);
    // At most the interval between two samples may be lost.
    expect(time.now()).toBe(3_600_000);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(time.now()).toBe(3_602_000);
  });

  it("includes work that keeps the event loop busy", () => {
    const time = startTime();
    expect(time.now()).toBe(0);
    skippedMs += 9_000;
    expect(time.now()).toBe(9_000);
  });

  it("keeps waiting after a suspension, however often there is one", async () => {
    const time = startTime();
    const action = vi.fn();
    time.after(5_000, action);
    for (let i = 0; i < 4; i += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      skippedMs += 1_800_000;
      time.now();
    }
    await vi.advanceTimersByTimeAsync(999);
    expect(action).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(action).toHaveBeenCalledOnce();
  });

  it("fires no canceled timer, nor one that is infinitely far away", async () => {
    const time = startTime();
    const action = vi.fn();
    const callOff = time.after(5_000, action);
    time.after(Number.POSITIVE_INFINITY, action);
    await vi.advanceTimersByTimeAsync(4_000);
    callOff();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(action).not.toHaveBeenCalled();
  });
});

const EIGHT_HOURS_MS = 8 * 3_600_000;
let standstillMs = 0;

beforeEach(() => {
  vi.useFakeTimers();
  const read = performance.now.bind(performance);
  standstillMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => read() + standstillMs);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it("a computer that slept for hours does not use up the time of a rollout", async () => {
  const limitMs = 300_000;
  const onLimit = () => timeoutError("The rollout", limitMs);
  const startedMs = systemClock.monotonic();
  const limit = deadline({ clock: systemClock, limitMs, onLimit });
  await vi.advanceTimersByTimeAsync(100_000);
  standstillMs = EIGHT_HOURS_MS;
  await vi.advanceTimersByTimeAsync(195_000);
  expect(limit.isExpired()).toBe(false);
  expect(systemClock.monotonic() - startedMs).toBeLessThanOrEqual(295_000);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(limit.isExpired()).toBe(true);
});
