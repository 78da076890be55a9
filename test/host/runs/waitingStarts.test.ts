import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Emitter } from "../../../src/core/util/emitter.ts";
import type { Holder } from "../../../src/host/runs/runSlots.ts";
import { keepWaitingStarts, takeWaitingStarts } from "../../../src/host/runs/waitingStarts.ts";
import { FakeMemory } from "../fakeMemory.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const math: Holder = { title: "train math", startsAgain: "/math.yaml", stop: async () => true };

function aWindow(memory: FakeMemory) {
  const changed = new Emitter<void>();
  const trainings = { waiting: [math] as readonly Holder[], onDidChange: changed.event };
  const keeping = keepWaitingStarts(trainings, memory);
  const change = (waiting: readonly Holder[]): void => {
    trainings.waiting = waiting;
    changed.fire();
  };
  return { change, keeping };
}

it("the next window reports queued starts once, although the wait ended with the first window", async () => {
  const memory = new FakeMemory();
  const { change, keeping } = aWindow(memory);
  change([math]);
  await vi.advanceTimersByTimeAsync(1_000);
  change([]);
  keeping.dispose();
  await vi.advanceTimersByTimeAsync(1_000);
  const left = [{ title: "train math", startsAgain: "/math.yaml" }];
  expect(await takeWaitingStarts(memory)).toEqual(left);
  expect(await takeWaitingStarts(memory)).toEqual([]);
});

it("starts that were launched or canceled in their window are not reported", async () => {
  const memory = new FakeMemory();
  const { change } = aWindow(memory);
  for (const waiting of [[math], []]) {
    change(waiting);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(await takeWaitingStarts(memory)).toEqual([]);
});
