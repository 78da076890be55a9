/** Refused requests of an agent in the record of its rollout. */

import { expect, it } from "vitest";
import type { AgentRollout } from "../../../src/core/agents/agent.ts";
import { AgentEpisode } from "../../../src/core/agents/agentEpisode.ts";
import { readChatCompletion } from "../../../src/core/endpoint/openaiChat.ts";
import { refusalOf } from "../../../src/core/endpoint/refusal.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { aLimit } from "../rollout/builders.ts";
import { result, scriptedSession } from "../rollout/scriptedEnvironment.ts";
import { call, ended, renderer, scriptedSampler, tokenizer } from "../rollout/scriptedModel.ts";
import { ENVIRONMENT, someSettings } from "../training/builders.ts";

/** Sends a request as the endpoint does. */
async function ask({ model }: AgentRollout, body: object) {
  const { signal } = new AbortController();
  try {
    await model.turn(readChatCompletion(body), { signal, needsLogprobs: true });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== null) model.onRefused?.(refusal);
  }
}

it("the recorded refusals include unsupported requests, but neither required calls nor late requests", async () => {
  const clock = new FakeClock();
  const messages = [{ role: "user", content: "First" }];
  const episode = new AgentEpisode({
    chat: { renderer, tokenizer },
    session: scriptedSession({ onCall: () => result("Right.", { reward: 1, finished: true }) }),
    sampler: scriptedSampler([ended(call("answer"))]),
    clock,
    environment: ENVIRONMENT,
    settings: someSettings(),
    seedOf: () => undefined,
    sampleSlot: async () => () => undefined,
    limit: aLimit(clock),
    agent: {
      settings: { timeoutMs: null, reward: "session" },
      run: async (rollout) => {
        await ask(rollout, { messages, n: 2 });
        await ask(rollout, { messages, n: 2 });
        await ask(rollout, { messages, tool_choice: "required" });
        await rollout.tools.call("answer", {});
        await ask(rollout, { messages });
        return { code: 0, output: "", rewardLine: null };
      },
    },
    task: { split: "train", index: 3 },
    sha256,
  });
  expect(await episode.play()).toBe("reached_terminal_state");
  expect(episode.turnCount).toBe(1);
  expect(episode.played.agent?.refusals).toEqual([
    { message: "n: 2 is not supported. One request gives one answer. Send several.", count: 2 },
  ]);
});
