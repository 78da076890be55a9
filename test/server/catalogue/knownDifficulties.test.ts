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

describe("how others fared in the tasks of a split", () => {
  it("is asked for once in ten minutes", async () => {
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

  it("is unknown where the service fails, which is not asked again at once", async () => {
    const { state, of } = setUp(async () => {
      throw new Error("busy");
    });
    expect([await of(), await of()]).toEqual([[], []]);
    expect(state.asked).toBe(1);
  });

  it("is kept for few splits", async () => {
    const { state, of } = setUp();
    for (let split = 0; split < 33; split += 1) await of(String(split));
    await of("32");
    expect(state.asked).toBe(33);
    await of("0");
    expect(state.asked).toBe(34);
  });
});
