import { describe, expect, it } from "vitest";
import { type RetryOptions, retry, type TryOutcome } from "../../../src/core/util/retry.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";

const backoff = { firstMs: 1_000, maxMs: 4_000, jitter: 0 };
const lost: TryOutcome<string> = { kind: "failed", error: new Error("lost") };
const done: TryOutcome<string> = { kind: "done", result: "answer" };

/** Goes through `outcomes`, repeating the last one, and records when each attempt started. */
function start(outcomes: readonly TryOutcome<string>[], options: Partial<RetryOptions> = {}) {
  const clock = new FakeClock();
  const random = { uuid: () => "", uniform: () => 0 };
  const triedAtMs: number[] = [];
  const attempt = async () => {
    const outcome = outcomes[Math.min(triedAtMs.length, outcomes.length - 1)] ?? done;
    triedAtMs.push(clock.monotonic());
    return outcome;
  };
  const result = clock.run(retry(attempt, { clock, random, backoff, ...options }));
  return { result, triedAtMs };
}

describe("a retried operation", () => {
  it("backs off between failed attempts until one succeeds", async () => {
    const { result, triedAtMs } = start([lost, lost, lost, lost, done]);
    expect(await result).toBe("answer");
    expect(triedAtMs).toEqual([0, 1_000, 3_000, 7_000, 11_000]);
  });

  it("waits as long as the server requests", async () => {
    const { result, triedAtMs } = start([{ ...lost, afterMs: 250 }, lost, done]);
    await result;
    expect(triedAtMs).toEqual([0, 250, 2_250]);
  });

  it("throws the last error when no attempt is left", async () => {
    const { result, triedAtMs } = start([lost], { maxTries: 3 });
    await expect(result).rejects.toThrow("lost");
    expect(triedAtMs).toHaveLength(3);
  });

  it("returns an unfinished result when no attempt is left", async () => {
    const refused = { kind: "unfinished", result: "busy", reason: "status 503" } as const;
    const { result } = start([refused], { maxTries: 2 });
    expect(await result).toBe("busy");
  });

  it("starts no attempt after its time is up", async () => {
    const { result, triedAtMs } = start([lost], { budgetMs: 5_000 });
    await expect(result).rejects.toThrow("lost");
    expect(triedAtMs).toEqual([0, 1_000, 3_000]);
  });

  it("counts a pause neither as an attempt nor as time", async () => {
    const pause = { kind: "pause", ms: 60_000 } as const;
    const { result, triedAtMs } = start([pause, pause, lost, done], {
      maxTries: 2,
      budgetMs: 5_000,
    });
    expect(await result).toBe("answer");
    expect(triedAtMs).toEqual([0, 60_000, 120_000, 121_000]);
  });

  it("has all attempts again after progress", async () => {
    const further: TryOutcome<string> = { ...lost, madeProgress: true };
    const { result, triedAtMs } = start([lost, further, lost, done], { maxTries: 3 });
    expect(await result).toBe("answer");
    expect(triedAtMs).toEqual([0, 1_000, 2_000, 4_000]);
  });

  it("ends with the reason of the signal during a wait", async () => {
    const controller = new AbortController();
    const { result } = start([lost], {
      signal: controller.signal,
      onRetry: () => controller.abort(new Error("stopped")),
    });
    await expect(result).rejects.toThrow("stopped");
  });
});
