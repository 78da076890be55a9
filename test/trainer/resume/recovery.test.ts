import { describe, expect, it } from "vitest";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import {
  isSessionLost,
  statusError,
  tinkerError,
} from "../../../src/core/tinker/transport/errors.ts";
import { RunControl } from "../../../src/core/training/run/control.ts";
import type { ProgressEvent } from "../../../src/core/training/run/progress.ts";
import { type LostAttempt, waitToReconnect } from "../../../src/trainer/resume/recovery.ts";
import { createMemoryFileSystem, createStillClock } from "../../core/runFolder/memoryFileSystem.ts";
import { startedRun } from "../../fakes/startedRun.ts";

const refused = (status: number) =>
  statusError({ status, text: "gone", what: "POST asample", attempts: 1 });

describe("a session", () => {
  it("is lost when the service no longer knows it, or its objects", () => {
    const [unknown, over] = [refused(404), refused(410)];
    const modelLost = (cause: unknown) => tinkerError("tinker-model-lost", "No more", { cause });
    expect([unknown, over, modelLost(over)].map(isSessionLost)).toEqual([true, true, true]);
    const others = [refused(401), refused(400), refused(503), new Error("404"), null];
    const isLost = (error: unknown): boolean =>
      isSessionLost(error) || isSessionLost(modelLost(error));
    expect(others.filter(isLost)).toEqual([]);
  });
});

describe("a run that has lost its session and cannot reach the service", () => {
  const unreachable = tinkerError("tinker-unavailable", "No answer to POST client/config");

  async function stage() {
    const lease = await startedRun(createMemoryFileSystem(), "/runs", {}, createStillClock());
    const lost: LostAttempt = { outcome: "lost", lease, completed: 2 };
    const control = new RunControl();
    const events: ProgressEvent[] = [];
    const watch = (event: ProgressEvent): void => {
      events.push(event);
    };
    return { lost, control, events, options: { control, watch, redactor: new Redactor() } };
  }

  it("reports that and waits until it is stopped", async () => {
    const { lost, control, events, options } = await stage();
    const waiting = waitToReconnect(unreachable, lost, { made: 1, limit: 3 }, options);
    control.stop();
    await expect(waiting).rejects.toMatchObject({ code: "stopped" });
    const message =
      "No new session yet: No answer to POST client/config. The run tries again in 20 s (recovery 2 of at most 3).";
    expect(events).toEqual([{ kind: "warning", message }]);
  });

  it("does not wait after the last recovery, for another error, or once it had its folder back", async () => {
    const { lost, options } = await stage();
    const wait = (error: unknown, made: number): Promise<void> =>
      waitToReconnect(error, lost, { made, limit: 3 }, options);
    await expect(wait(unreachable, 3)).rejects.toBe(unreachable);
    const other = refused(401);
    await expect(wait(other, 1)).rejects.toBe(other);
    await lost.lease.release();
    await expect(wait(unreachable, 1)).rejects.toBe(unreachable);
  });
});
