import { describe, expect, it } from "vitest";
import { KnownDifficulties } from "../../../src/server/catalogue/knownDifficulties.ts";

const TASK = { index: 1, meanReward: 0.5, minReward: 0, maxReward: 1, rollouts: 8 };
const MINUTE_MS = 60_000;

function setUp(answer: () => Promise<readonly (typeof TASK)[]> = async () => [TASK]) {
  const state = { nowMs: 0, asked: 0 };
  const known = new KnownDifficulties(
    () => {
      state.asked += 1;
      return answer();
    },
    () => state.nowMs,
  );
  const of = (split = "train") =>
    known.of({ access: { keys: {}, variables: {} }, environment: "Owner/Game", split });
  return { state, of };
}

describe("other users' results for the tasks of a split", () => {
  it("are requested once in ten minutes", async () => {
    const { state, of } = setUp();
    expect(await Promise.all([of(), of(), of("test")])).toEqual([[TASK], [TASK], [TASK]]);
    expect(state.asked).toBe(2);
    state.nowMs = 9 * MINUTE_MS;
    await of();
    expect(state.asked).toBe(2);
    state.nowMs = 10 * MINUTE_MS;
    await of();
    expect(state.asked).toBe(3);
  });

  it("are unknown if the service fails, and not requested again immediately", async () => {
    const { state, of } = setUp(async () => {
      throw new Error("busy");
    });
    expect([await of(), await of()]).toEqual([[], []]);
    expect(state.asked).toBe(1);
  });

  it("are cached for a few splits", async () => {
    const { state, of } = setUp();
    for (let split = 0; split < 33; split += 1) await of(String(split));
    await of("32");
    expect(state.asked).toBe(33);
    await of("0");
    expect(state.asked).toBe(34);
  });
});
