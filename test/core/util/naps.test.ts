import { describe, expect, it } from "vitest";
import { Naps } from "../../../src/core/util/naps.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";

describe("naps", () => {
  it("say whether they were over or ended from outside", async () => {
    const clock = new FakeClock();
    const naps = new Naps();
    const sleep = () => naps.during((woken) => clock.sleep(1_000, woken));
    expect(await clock.run(sleep())).toBe(false);
    const woken = [sleep(), naps.untilWoken()];
    naps.wake();
    expect(await Promise.all(woken)).toEqual([true, undefined]);
    expect(clock.sleeping).toBe(0);
  });

  it("end with the reason of a stop, and with what went wrong meanwhile", async () => {
    const naps = new Naps();
    const reason = new Error("stop");
    const stopping = new AbortController();
    const napping = naps.untilWoken(stopping.signal);
    stopping.abort(reason);
    await expect(napping).rejects.toBe(reason);
    await expect(naps.during(() => Promise.reject(reason))).rejects.toBe(reason);
  });
});
