import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { Attempts } from "../../../src/core/rollout/rolloutRetry.ts";

/** Without jitter, delays are the round numbers that they are made of. */
function someAttempts(maxRetries: number, uniform = 0): Attempts {
  return new Attempts({ uuid: () => "", uniform: () => uniform }, maxRetries);
}

function fault(code: string, data = {}): AppError {
  return new AppError(code, `A fault ${code}.`, { data });
}

const transient = fault("environment-unavailable");
const crash = fault("environment-tool-crashed");
const full = fault("environment-capacity");

describe("after an attempt", () => {
  it("without a fault the rollout stands", () => {
    const attempts = someAttempts(3);
    expect(attempts.judge(null)).toEqual({ kind: "accept" });
    expect(attempts.count).toBe(1);
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
  ])("that ended in %s another one follows", (code) => {
    expect(someAttempts(1).judge(fault(code)).kind).toBe("again");
  });

  it.each(["rollout-after-end", "chat-bridge"])("that ended in %s none follows", (code) => {
    expect(someAttempts(1).judge(fault(code))).toEqual({ kind: "accept" });
  });

  it.each(["environment-auth", "environment-not-found", "rollout-image", "tinker-auth"])(
    "that ended in %s the whole run ends",
    (code) => {
      const thrown = fault(code);
      expect(() => someAttempts(1).judge(thrown)).toThrow(thrown);
    },
  );
});

describe("retries", () => {
  it("are as many as the configuration allows, ever further apart", () => {
    const attempts = someAttempts(3);
    const verdicts = Array.from({ length: 4 }, () => attempts.judge(transient));
    expect(verdicts).toEqual([
      { kind: "again", delayMs: 1_000 },
      { kind: "again", delayMs: 2_000 },
      { kind: "again", delayMs: 4_000 },
      { kind: "give-up" },
    ]);
    expect(attempts.count).toBe(4);
  });

  it("can be switched off", () => {
    expect(someAttempts(0).judge(transient)).toEqual({ kind: "give-up" });
  });

  it("wait at most half a minute, and up to a quarter less", () => {
    const delayOfLast = (uniform: number) => {
      const attempts = someAttempts(20, uniform);
      return Array.from({ length: 10 }, () => attempts.judge(transient)).at(-1);
    };
    expect(delayOfLast(0)).toEqual({ kind: "again", delayMs: 30_000 });
    expect(delayOfLast(1)).toEqual({ kind: "again", delayMs: 22_500 });
  });

  it("sample anew after a crash of the tool only", () => {
    const attempts = someAttempts(9);
    const seeds = [transient, crash, transient, full, crash].map((thrown) => {
      attempts.judge(thrown);
      return attempts.seed;
    });
    expect(seeds).toEqual([0, 1, 1, 1, 2]);
  });
});

describe("being refused for lack of room", () => {
  it("is no attempt, however often it happens", () => {
    const attempts = someAttempts(0);
    const delays = Array.from({ length: 8 }, () => attempts.judge(full)).map((verdict) =>
      verdict.kind === "again" ? verdict.delayMs / 1_000 : null,
    );
    expect(delays).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
    expect(attempts.count).toBe(0);
  });

  it("waits as long as the environment asks", () => {
    const verdict = someAttempts(0).judge(fault("environment-capacity", { retryAfterMs: 7_000 }));
    expect(verdict).toEqual({ kind: "again", delayMs: 7_000 });
  });
});
