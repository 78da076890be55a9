import { performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { collectWhenIdle } from "../../src/server/collectWhenIdle.ts";

vi.mock("node:v8", () => ({ getHeapStatistics: vi.fn() }));

const gc = vi.fn();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  vi.stubGlobal("gc", gc);
  inUse(30);
  busy(0.1);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  gc.mockReset();
});

it("collects once after much garbage, and again after more", () => {
  collectWhenIdle();
  inUse(40);
  vi.advanceTimersByTime(5_000);
  expect(gc).not.toHaveBeenCalled();
  inUse(60);
  gc.mockImplementation(() => inUse(32));
  vi.advanceTimersByTime(5_000);
  expect(gc).toHaveBeenCalledTimes(1);
  inUse(50);
  vi.advanceTimersByTime(5_000);
  expect(gc).toHaveBeenCalledTimes(2);
});

it("collects garbage that counts as used until then", () => {
  const collectNext = collectWhenIdle();
  collectNext();
  gc.mockImplementation(() => inUse(10));
  vi.advanceTimersByTime(5_000);
  expect(gc).toHaveBeenCalledTimes(1);
});

it("waits while the server is busy", () => {
  collectWhenIdle();
  inUse(300);
  busy(0.9);
  vi.advanceTimersByTime(5_000);
  expect(gc).not.toHaveBeenCalled();
});

it("does nothing if the process cannot collect", () => {
  vi.stubGlobal("gc", undefined);
  collectWhenIdle();
  expect(vi.getTimerCount()).toBe(0);
});

function busy(utilization: number): void {
  const share = { utilization, active: utilization, idle: 1 - utilization };
  vi.spyOn(performance, "eventLoopUtilization").mockReturnValue(share);
}

function inUse(megabytes: number): void {
  const statistics = { used_heap_size: megabytes * 2 ** 20 } as ReturnType<
    typeof getHeapStatistics
  >;
  vi.mocked(getHeapStatistics).mockReturnValue(statistics);
}
