import { expect, it } from "vitest";
import { Episode } from "../../src/core/rollout/episode.ts";
import type { RolloutSettings } from "../../src/core/rollout/settings.ts";
import { result, scriptedSession } from "../core/rollout/scriptedEnvironment.ts";
import {
  call,
  encode,
  ended,
  renderer,
  scriptedSampler,
  tokenizer,
} from "../core/rollout/scriptedModel.ts";
import { ENVIRONMENT, someSettings } from "../core/training/builders.ts";
import { FakeClock } from "../fakes/fakeClock.ts";

const ADD = ended(call("add"));
const TURN = encode(ADD).length;

async function play(settings: Partial<RolloutSettings>) {
  const sampler = scriptedSampler([ADD]);
  const episode = new Episode({
    session: scriptedSession({ onCall: () => result("5") }),
    sampler,
    renderer,
    tokenizer,
    clock: new FakeClock(),
    settings: someSettings({ maxConsecutiveParseErrors: 99, maxNoToolTurns: 99, ...settings }),
    environment: ENVIRONMENT,
    seedOf: () => undefined,
    sampleSlot: async () => () => undefined,
    pausedWhile: (wait) => wait(),
    signal: new AbortController().signal,
  });
  const stop = await episode.play();
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
