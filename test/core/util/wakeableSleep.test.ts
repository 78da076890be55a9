import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sleepUntilAborted, WakeableSleep } from "../../../src/core/util/wakeableSleep.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";

describe("a wakeable sleep", () => {
  it("reports whether it completed or was woken", async () => {
    const clock = new FakeClock();
    const sleep = new WakeableSleep();
    expect(await clock.run(sleep.sleep(clock, 1_000))).toBe(false);
    const woken = [sleep.sleep(clock, 1_000), sleep.untilWoken()];
    sleep.wake();
    expect(await Promise.all(woken)).toEqual([true, undefined]);
    expect(clock.sleeping).toBe(0);
  });

  it("ends with the reason of a stop, or with an error that happened meanwhile", async () => {
    const sleep = new WakeableSleep();
    const reason = new Error("stop");
    const stopping = new AbortController();
    const sleeping = sleep.untilWoken(stopping.signal);
    stopping.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    await expect(sleep.during(() => Promise.reject(reason))).rejects.toBe(reason);
  });

  it("ignores a wake-up while no one sleeps, unless it must not be missed", async () => {
    const clock = new FakeClock();
    const sleep = new WakeableSleep();
    sleep.wake();
    expect(await clock.run(sleep.sleep(clock, 1_000))).toBe(false);
    sleep.wakeOrSkipNext();
    sleep.wakeOrSkipNext();
    expect(await sleep.sleep(clock, 1_000)).toBe(true);
    expect(await clock.run(sleep.sleep(clock, 1_000))).toBe(false);
    expect(clock.monotonic()).toBe(2_000);
  });

  it("misses no wake-up and invents none, whatever the order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 20 }), async (newsComes) => {
        const clock = new FakeClock();
        const sleep = new WakeableSleep();
        let isNews = false;
        for (const comes of newsComes) {
          if (comes) {
            sleep.wakeOrSkipNext();
            isNews = true;
          } else {
            expect(await clock.run(sleep.sleep(clock, 1_000))).toBe(isNews);
            isNews = false;
          }
        }
        const last = sleep.sleep(clock, 1_000);
        sleep.wakeOrSkipNext();
        expect(await last).toBe(true);
        expect(await clock.run(sleep.sleep(clock, 1_000))).toBe(false);
        expect(clock.sleeping).toBe(0);
      }),
    );
  });
});

describe("a sleep until a signal", () => {
  it("resolves after its time, on the signal, or immediately", async () => {
    const clock = new FakeClock();
    const ending = new AbortController();
    await clock.run(sleepUntilAborted(clock, 1_000, ending.signal));
    expect(clock.monotonic()).toBe(1_000);
    const sleeping = sleepUntilAborted(clock, 1_000, ending.signal);
    ending.abort();
    await sleeping;
    await sleepUntilAborted(clock, 1_000, ending.signal);
    await sleepUntilAborted(clock, -1, new AbortController().signal);
    expect(clock.monotonic()).toBe(1_000);
    expect(clock.sleeping).toBe(0);
  });
});
