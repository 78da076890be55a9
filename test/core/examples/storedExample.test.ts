import { describe, expect, it } from "vitest";
import { storedStreams } from "../../../src/core/examples/runExamples.ts";
import type { TokenRecord } from "../../../src/core/runFolder/rollouts/tokenRecord.ts";
import { aRecordedTurn } from "../runFolder/builders.ts";

/** Two turns of two tokens and one token, each followed by context tokens. */
function turns() {
  return { turns: [aRecordedTurn({ tokens: 2 }), aRecordedTurn({ tokens: 1 })] };
}

function stream(ids: readonly number[], of: readonly number[], number = 0): TokenRecord {
  const none = ids.map(() => 0);
  return {
    group: 0,
    rollout: 0,
    stream: number,
    ids,
    samplerLogprobs: none,
    trainerLogprobs: none,
    advantages: none,
    turns: of,
    mask: none,
  };
}

describe("a stored rollout as a demonstration", () => {
  it("trains only what the model wrote, whichever model it was", () => {
    const stored = stream([5, 6, 10, 11, 7, 8, 12, 9], [-1, -1, 0, 0, 0, 0, 1, 1]);
    const streams = storedStreams(turns(), [stored], "all_turns");
    expect(streams?.map(({ tokens, mask }) => [[...tokens], [...mask]])).toEqual([
      [
        [5, 6, 10, 11, 7, 8, 12, 9],
        [0, 0, 1, 1, 0, 0, 1, 0],
      ],
    ]);
  });

  it("trains only the last turn on request", () => {
    const first = stream([5, 10, 11], [-1, 0, 0]);
    const second = stream([5, 10, 7, 12], [-1, -1, -1, 1], 1);
    const streams = storedStreams(turns(), [second, first], "last_turn");
    expect(streams?.map(({ mask }) => [...mask])).toEqual([
      [0, 0, 0],
      [0, 0, 0, 1],
    ]);
  });

  it("is refused without the tokens of each turn", () => {
    expect(storedStreams(turns(), [stream([5, 10, 11], [-1, 0, 0])], "all_turns")).toBeNull();
    expect(storedStreams(turns(), [], "all_turns")).toBeNull();
  });
});
