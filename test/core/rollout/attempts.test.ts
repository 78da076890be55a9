import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../src/core/errorCodes.ts";
import { AppError } from "../../../src/core/errors.ts";
import { inFreshSessions } from "../../../src/core/rollout/attempts.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { someSettings } from "../training/builders.ts";
import { aGate } from "./builders.ts";
import { scriptedEnvironment } from "./scriptedEnvironment.ts";

function fault(code: ErrorCode): AppError {
  return new AppError(code, `A fault ${code}.`);
}

const transient = fault("environment-unavailable");

/** Runs attempts that end with these faults in turn; later ones succeed. Without jitter, delays are round numbers. */
async function play(faults: readonly AppError[], maxRetries: number, uniform = 0) {
  const clock = new FakeClock();
  const startsS: number[] = [];
  const options = {
    gate: aGate(scriptedEnvironment(), clock),
    clock,
    random: { uuid: () => "", uniform: () => uniform },
    log: silentLog,
    settings: someSettings({ maxRetries }),
    task: { split: "train", index: 0 },
    name: "A rollout",
    signal: new AbortController().signal,
    onAttempt: () => void startsS.push(clock.monotonic() / 1000),
  };
  const use = async () => {
    const error = faults[startsS.length - 1];
    if (error !== undefined) throw error;
  };
  const { attempts, hasGivenUp } = await clock.run(inFreshSessions(options, use));
  const delaysS = startsS.slice(1).map((start, i) => start - (startsS[i] ?? 0));
  return { attempts, hasGivenUp, delaysS };
}

const times = (count: number, error: AppError) => Array.from({ length: count }, () => error);

describe("an attempt", () => {
  it("is accepted when there was no fault", async () => {
    expect(await play([], 3)).toMatchObject({ attempts: 1, hasGivenUp: false });
  });

  it.each([
    "environment-session-lost",
    "environment-unavailable",
    "environment-protocol",
    "environment-tool-crashed",
    "transport",
    "timeout",
    "tinker-unavailable",
    "tinker-request-failed",
  ] as const)("is retried after %s", async (code) => {
    expect(await play([fault(code)], 1)).toMatchObject({ attempts: 2, hasGivenUp: false });
  });

  it.each(["rollout-after-end", "chat-bridge", "rollout-image", "image-invalid"] as const)(
    "is accepted despite %s",
    async (code) => {
      expect(await play([fault(code)], 1)).toMatchObject({ attempts: 1, hasGivenUp: false });
    },
  );

  it("ends the whole run when the model service refuses the key", async () => {
    const thrown = fault("tinker-auth");
    await expect(play([thrown], 1)).rejects.toBe(thrown);
  });
});

describe("retries", () => {
  it("stop at the configured maximum, with increasing delays", async () => {
    expect(await play(times(4, transient), 3)).toEqual({
      attempts: 4,
      hasGivenUp: true,
      delaysS: [1, 2, 4],
    });
  });

  it("can be turned off", async () => {
    expect(await play([transient], 0)).toMatchObject({ attempts: 1, hasGivenUp: true });
  });

  it("wait at most half a minute, minus a jitter of up to a quarter", async () => {
    const lastDelayS = async (uniform: number) =>
      (await play(times(10, transient), 20, uniform)).delaysS.at(-1);
    expect(await lastDelayS(0)).toBe(30);
    expect(await lastDelayS(1)).toBe(22.5);
  });
});
