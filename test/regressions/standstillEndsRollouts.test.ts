import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { deadline, timeoutError } from "../../src/core/util/abort.ts";
import { systemClock } from "../../src/node/clock.ts";

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
