import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { RunControl } from "../../../../src/core/training/run/control.ts";
import { FakeClock } from "../../../fakes/fakeClock.ts";

describe("a save command", () => {
  it("fails when its save fails", async () => {
    const control = new RunControl();
    const waiting = control.saveNow();
    const refused = new Error("no room");
    control.offerSave(() => Promise.reject(refused));
    await expect(waiting).rejects.toBe(refused);
    await expect(control.saveNow()).rejects.toBe(refused);
  });

  it("is refused once the run ends", async () => {
    const control = new RunControl();
    const waiting = control.saveNow();
    control.end();
    await expect(waiting).rejects.toMatchObject({ code: "run-ended" });
    await expect(control.saveNow()).rejects.toMatchObject({ code: "run-ended" });
  });
});

describe("a pause", () => {
  it("does not happen if the command is withdrawn in time", async () => {
    const control = new RunControl();
    control.pause();
    control.continue();
    await expect(control.pauseOver()).resolves.toBeUndefined();
  });

  it("ends with the reason for a stop, also for an earlier one", async () => {
    const control = new RunControl();
    control.pause();
    const over = control.pauseOver();
    control.stop();
    await expect(over).rejects.toBe(control.signal.reason);
    await expect(control.pauseOver()).rejects.toMatchObject({ code: "stopped" });
  });

  it("leaves no stop listeners behind", async () => {
    const control = new RunControl();
    for (let times = 0; times < 20; times++) {
      control.pause();
      const over = control.pauseOver();
      control.continue();
      await over;
    }
    expect(getEventListeners(control.signal, "abort")).toEqual([]);
  });
});

describe("a rest", () => {
  it("lasts its time, or until a resume or pause command", async () => {
    const control = new RunControl();
    const clock = new FakeClock();
    expect(await clock.run(control.waitForRequest(clock, 5_000))).toBe(false);
    expect(clock.monotonic()).toBe(5_000);
    for (const command of ["continue", "pause"] as const) {
      const resting = control.waitForRequest(clock, 5_000);
      control[command]();
      expect(await resting).toBe(true);
    }
    expect([clock.monotonic(), clock.sleeping]).toEqual([5_000, 0]);
    expect(getEventListeners(control.signal, "abort")).toEqual([]);
  });

  it("ends with the reason for a stop", async () => {
    const control = new RunControl();
    const resting = control.waitForRequest(new FakeClock(), 5_000);
    control.stop();
    await expect(resting).rejects.toMatchObject({ code: "stopped" });
  });
});

describe("a failure of something the run needs", () => {
  const lost = new AppError("local-service", "The embedded engine ended.");

  it("ends everything with its error, and is not a stop", async () => {
    const control = new RunControl();
    control.pause();
    const over = control.pauseOver();
    control.fail(lost);
    await expect(over).rejects.toBe(lost);
    expect([control.isStopping, control.failure]).toEqual([false, lost]);
  });

  it("has no effect after a stop", () => {
    const control = new RunControl();
    control.stop();
    control.fail(lost);
    expect([control.isStopping, control.failure]).toEqual([true, null]);
  });
});
