/** Requests of an agent in progress when its rollout ends. */

import { expect, it } from "vitest";
import type { AgentRollout, RunAgent } from "../../../src/core/agents/agent.ts";
import { AgentEpisode } from "../../../src/core/agents/agentEpisode.ts";
import { readChatCompletion } from "../../../src/core/endpoint/openaiChat.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { aLimit } from "../rollout/builders.ts";
import { result, scriptedSession } from "../rollout/scriptedEnvironment.ts";
import {
  call,
  ended,
  renderer,
  scriptedSampler,
  type TurnScript,
  tokenizer,
} from "../rollout/scriptedModel.ts";
import { ENVIRONMENT, someSettings } from "../training/builders.ts";

interface Script {
  readonly turns: readonly TurnScript[];
  readonly run: RunAgent;
  readonly timeoutMs?: number;
  readonly clock?: FakeClock;
}

function anEpisode({ turns, run, timeoutMs, clock = new FakeClock() }: Script) {
  return new AgentEpisode({
    chat: { renderer, tokenizer },
    session: scriptedSession({ onCall: () => result("Right.", { reward: 1, finished: true }) }),
    sampler: scriptedSampler(turns),
    clock,
    environment: ENVIRONMENT,
    settings: someSettings(),
    seedOf: () => undefined,
    sampleSlot: async () => () => undefined,
    limit: aLimit(clock),
    agent: { settings: { timeoutMs: timeoutMs ?? null, reward: "session" }, run },
    task: { split: "train", index: 3 },
    sha256,
  });
}

const signal = new AbortController().signal;

function ask({ model }: AgentRollout, content: string) {
  const request = readChatCompletion({ messages: [{ role: "user", content }] });
  return model.turn(request, { signal, needsLogprobs: true });
}

/** Like a program that ends on its signal. */
async function untilEnded({ signal: ending }: AgentRollout) {
  if (!ending.aborted) await new Promise((end) => ending.addEventListener("abort", end));
  // It takes longer to end than its requests.
  await new Promise((end) => setImmediate(end));
  return { code: null, output: "so far", rewardLine: null };
}

it("requests in progress are aborted by the call that ends the episode, which is not a failure", async () => {
  const broken: Promise<unknown>[] = [];
  const episode = anEpisode({
    turns: [ended(call("answer")), "hang"],
    run: async (rollout) => {
      await ask(rollout, "First");
      broken.push(expect(ask(rollout, "Second")).rejects.toThrow("The rollout has ended"));
      await rollout.tools.call("answer", {});
      return await untilEnded(rollout);
    },
  });
  expect(await episode.play()).toBe("reached_terminal_state");
  await Promise.all(broken);
  expect(episode.played.rewards).toEqual([1]);
  expect(episode.turnCount).toBe(1);
  expect(episode.played.agent).toEqual({ exit: null, output: "so far", refusals: [] });
});

it("requests in progress are aborted by the agent's time limit, which is an outcome, and later ones are refused", async () => {
  const clock = new FakeClock();
  const refusal = {
    code: "endpoint-refused",
    message: expect.stringContaining("took longer than 5 s"),
    data: { status: 400, code: "rollout_ended" },
  };
  const broken: Promise<unknown>[] = [];
  const episode = anEpisode({
    turns: [ended("One"), "hang"],
    clock,
    timeoutMs: 5_000,
    run: async (rollout) => {
      await ask(rollout, "First");
      broken.push(expect(ask(rollout, "Second")).rejects.toMatchObject(refusal));
      return await untilEnded(rollout);
    },
  });
  expect(await clock.run(episode.play())).toBe("agent_timeout");
  await Promise.all(broken);
  expect(episode.played.agent?.output).toBe("so far");
});

it("requests have no effect once the agent has ended by itself", async () => {
  const broken: Promise<unknown>[] = [];
  const episode = anEpisode({
    turns: [ended("One"), "hang"],
    run: async (rollout) => {
      await ask(rollout, "First");
      // From a process that outlives the agent.
      broken.push(expect(ask(rollout, "Second")).rejects.toThrow("The rollout has ended"));
      return { code: 0, output: "", rewardLine: null };
    },
  });
  expect(await episode.play()).toBe("agent_ended");
  await Promise.all(broken);
  expect(episode.streams.map(({ turnCount }) => turnCount)).toEqual([1]);
});

it("a request that was too long no longer explains the end once a shorter one was answered", async () => {
  const long = "word ".repeat(9_000);
  const stopAfter = (...contents: readonly string[]) =>
    anEpisode({
      turns: [ended("One")],
      run: async (rollout) => {
        for (const content of contents) await ask(rollout, content).catch(() => undefined);
        return { code: 1, output: "", rewardLine: null };
      },
    }).play();
  expect(await stopAfter("Short", long)).toBe("max_tokens");
  expect(await stopAfter("Short", long, "Summary")).toBe("agent_failed");
});
