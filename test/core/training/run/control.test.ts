import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import type { CheckpointEntry } from "../../../../src/core/runFolder/checkpointLog.ts";
import { RunControl, type SettingsChange } from "../../../../src/core/training/run/control.ts";
import { FakeClock, settle } from "../../../fakes/fakeClock.ts";
import { aCheckpointEntry } from "../../runFolder/builders.ts";
import { aConfig } from "../builders.ts";

function anEntry(name: string): CheckpointEntry {
  return aCheckpointEntry({ name, step: 1, kind: "manual", state_path: "s", created_at: "now" });
}

function aChange(changes: Partial<SettingsChange> = {}): SettingsChange {
  return {
    config: aConfig(),
    configHash: "h",
    keys: ["learning_rate"],
    record: async () => undefined,
    dropped: () => undefined,
    ...changes,
  };
}

describe("a save command", () => {
  it("is met immediately while the weights do not change", async () => {
    const control = new RunControl();
    control.offerSave(async () => anEntry("manual_000001"));
    expect(await control.saveNow()).toMatchObject({ name: "manual_000001" });
  });

  it("waits while the weights change, and is met right after", async () => {
    const control = new RunControl();
    control.offerSave(async () => anEntry("before"));
    control.withdrawSave();
    const saved = control.saveNow();
    await settle();
    control.offerSave(async () => anEntry("after"));
    expect(await saved).toMatchObject({ name: "after" });
  });

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
  it("ends with a resume command", async () => {
    const control = new RunControl();
    control.pause();
    let isOver = false;
    const over = control.pauseOver().then(() => {
      isOver = true;
    });
    await settle();
    expect([control.isPausing, isOver]).toEqual([true, false]);
    control.continue();
    await over;
    expect(control.isPausing).toBe(false);
  });

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

describe("new settings", () => {
  it("are delivered once", () => {
    const control = new RunControl();
    expect(control.takeSettingsChange()).toBeNull();
    control.changeSettings(aChange());
    expect(control.takeSettingsChange()).toMatchObject({ keys: ["learning_rate"] });
    expect(control.takeSettingsChange()).toBeNull();
  });

  it("requested several times arrive as the latest, with the keys of all", () => {
    const control = new RunControl();
    control.changeSettings(aChange({ configHash: "one" }));
    control.changeSettings(aChange({ configHash: "two", keys: ["max_steps", "learning_rate"] }));
    expect(control.takeSettingsChange()).toMatchObject({
      configHash: "two",
      keys: ["learning_rate", "max_steps"],
    });
  });
});
