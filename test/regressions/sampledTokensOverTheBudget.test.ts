import { expect, it } from "vitest";
import type { RolloutSettings } from "../../src/core/rollout/settings.ts";
import { playEpisode } from "../core/rollout/builders.ts";
import { result, scriptedSession } from "../core/rollout/scriptedEnvironment.ts";
import { call, encode, ended, scriptedSampler } from "../core/rollout/scriptedModel.ts";

const ADD = ended(call("add"));
const TURN = encode(ADD).length;

async function play(settings: Partial<RolloutSettings>) {
  const sampler = scriptedSampler([ADD]);
  const { episode, stop } = await playEpisode({
    session: scriptedSession({ onCall: () => result("5") }),
    sampler,
    settings: { maxConsecutiveParseErrors: 99, maxNoToolTurns: 99, ...settings },
  });
  return {
    stop,
    asked: sampler.requests.map(({ maxTokens }) => maxTokens),
    sampled: episode.turnFacts.map(({ sampledTokens }) => sampledTokens),
  };
}

it("asks a turn for no more than max_sampled_tokens leaves", async () => {
  const { asked, sampled, stop } = await play({ maxSampledTokens: 2 * TURN + 3 });
  expect(asked).toEqual([2 * TURN + 3, TURN + 3, 3]);
  expect(sampled).toEqual([TURN, TURN, 3]);
  expect(stop).toBe("max_sampled_tokens");
});

it("asks for the smallest of the three budgets", async () => {
  const { asked } = await play({ maxSampledTokens: TURN + 5, maxResponseTokens: TURN + 2 });
  expect(asked).toEqual([TURN + 2, 5]);
});

it.each(["stop", "continue"] as const)(
  "names the budget that cut a turn, with on_turn_truncation: %s",
  async (onTurnTruncation) => {
    const { sampled, stop } = await play({ maxSampledTokens: 4, onTurnTruncation });
    expect(sampled).toEqual([4]);
    expect(stop).toBe("max_sampled_tokens");
  },
);
