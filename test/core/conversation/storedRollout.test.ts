import { describe, expect, it } from "vitest";
import type { Chat } from "../../../src/core/chat/chat.ts";
import { declareTool } from "../../../src/core/chat/firstPrompt.ts";
import { Conversation } from "../../../src/core/conversation/conversation.ts";
import { LiveTask } from "../../../src/core/conversation/liveTask.ts";
import { idOpening } from "../../../src/core/conversation/openings.ts";
import {
  contextBefore,
  replayTo,
  type StoredTurn,
} from "../../../src/core/conversation/storedRollout.ts";
import { Episode } from "../../../src/core/rollout/episode.ts";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../../../src/core/runFolder/rollouts/tokenRecord.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { imageChat } from "../chat/imageChat.ts";
import { sampled } from "../chat/tinyModel.ts";
import { imageBlock, pngBytes } from "../images/someImages.ts";
import { aLimit } from "../rollout/builders.ts";
import {
  result,
  type SessionScript,
  scriptedEnvironment,
  scriptedSession,
} from "../rollout/scriptedEnvironment.ts";
import {
  call,
  ended,
  renderer,
  type SamplerOptions,
  scriptedSampler,
  tokenizer,
} from "../rollout/scriptedModel.ts";
import { someSettings } from "../training/builders.ts";

const game: SessionScript = {
  onCall: ({ name }) =>
    name === "answer" ? result("Right.", { reward: 1, finished: true }) : result("5"),
};
const TURNS = [
  ended(call("add")),
  ended("Hm"),
  ended(call("add", { a: 2 })),
  ended(call("answer")),
];
const signal = new AbortController().signal;

/** Appends to one stream. */
const plain: Chat = { renderer, tokenizer };
/** Starts a new stream with every turn: each prompt differs from the previous one from its first token on. */
const pruning: Chat = {
  tokenizer,
  retention: "template",
  renderer: {
    ...renderer,
    renderInitial: (messages, tools) => [
      messages.length,
      ...renderer.renderInitial(messages, tools),
    ],
  },
};

/** A stored rollout, and what was sent for each of its turns. */
async function aRollout(chat: Chat, script = game, options: SamplerOptions = {}) {
  const sampler = scriptedSampler(TURNS, options);
  const episode = new Episode({
    session: scriptedSession(script),
    sampler,
    chat,
    clock: new FakeClock(),
    settings: someSettings(),
    environment: "Owner/Game",
    seedOf: () => undefined,
    sampleSlot: async () => () => undefined,
    limit: aLimit(undefined, signal),
  });
  await episode.play();
  const streams = episode.streams.map(
    ({ tokens, logprobs, turns, mask }, stream): TokenRecord => ({
      group: 0,
      rollout: 0,
      stream,
      ids: tokens,
      samplerLogprobs: logprobs,
      turns,
      mask,
      trainerLogprobs: logprobs,
      advantages: logprobs,
    }),
  );
  const record: RolloutRecord = {
    step: 0,
    group: 0,
    rollout: 0,
    taskKey: "k",
    environment: "Owner/Game",
    split: "train",
    index: 3,
    attempt: 0,
    systemText: null,
    promptText: "",
    conversation: [],
    tools: [],
    turns: episode.played.turns,
    images: [],
    rewards: [1],
    reward: 1,
    error: null,
    stop: "reached_terminal_state",
    startedAtMs: 0,
    durationMs: 0,
    beginning: { queuedMs: 0, retriedMs: 0, waitedMs: 0, openedMs: 0 },
    rewardBreakdown: {
      group: null,
      nonterminal: null,
      sum: 1,
      reduction: "sum",
      reduced: 1,
      clamped: 1,
    },
  };
  const sent = sampler.requests.map(({ prompt }) => Array.from(prompt));
  const images = episode.played.images.map(({ file }) => file);
  return { streams, record, sent, images };
}

async function replayed(chat: Chat, stored: StoredTurn, script: SessionScript) {
  const task = await LiveTask.open({
    remote: scriptedEnvironment([script]),
    split: "train",
    index: 3,
    chat,
    settings: someSettings(),
    clock: new FakeClock(),
  });
  const conversation = new Conversation({
    chat,
    sampler: scriptedSampler([ended("x")]),
    sha256,
    maxTotalTokens: 4000,
    task,
    opening: task.rendered,
    tools: task.rendered.tools.map(declareTool),
  });
  await replayTo(conversation, stored, signal);
  return conversation;
}

describe.each([
  ["one stream", plain, 1],
  ["a stream for each turn", pruning, TURNS.length],
])("a stored rollout with %s", (_, chat, count) => {
  it("restores the ids sent for each turn, and can be replayed in a fresh session", async () => {
    const { streams, record, sent, images } = await aRollout(chat);
    expect(streams).toHaveLength(count);
    for (const [turn, ids] of sent.entries()) {
      const stored = { record, streams, turn, images };
      expect(contextBefore(stored)).toEqual(ids);
      const conversation = await replayed(chat, stored, game);
      expect([conversation.context, conversation.next]).toEqual([ids, "turn"]);
    }
  });
});

describe("a stored rollout that cannot be replayed", () => {
  it("is refused if the environment answers or asks differently", async () => {
    const stored = { ...(await aRollout(plain)), turn: 3 };
    const other: SessionScript = { onCall: () => result("6") };
    await expect(replayed(plain, stored, other)).rejects.toThrow(
      "in turn 1 it gives another answer",
    );
    const asked: SessionScript = { ...game, prompt: [{ type: "text", text: "Add 2 and 4." }] };
    await expect(replayed(plain, stored, asked)).rejects.toMatchObject({
      code: "task-not-repeatable",
    });
  });

  it("is refused if the environment shows a different image", async () => {
    const showing = (rest: string): SessionScript => ({
      ...game,
      prompt: [imageBlock(pngBytes(224, 224, rest))],
    });
    const rollout = await aRollout(imageChat, showing("a"), { encodeTurn: sampled });
    const stored = { ...rollout, turn: 0 };
    const { images } = await replayed(imageChat, stored, showing("a"));
    expect(images).toEqual(stored.images);
    await expect(replayed(imageChat, stored, showing("b"))).rejects.toThrow(
      "the prompt or an answer has changed",
    );
  });

  it("is refused without its tokens, or with those of another tokenizer", async () => {
    const { streams, record } = await aRollout(plain);
    expect(() => contextBefore({ record, streams: [], turn: 0 })).toThrow("are not stored");
    expect(() => contextBefore({ record, streams, turn: 9 })).toThrow("There is no turn 10");
    expect(() => idOpening(plain, [tokenizer.vocabSize], [])).toThrow("does not have");
  });
});

describe("a conversation continued from stored ids", () => {
  it("is appended to, and never rendered from unknown messages", async () => {
    const { streams, record } = await aRollout(pruning);
    const ids = contextBefore({ record, streams, turn: 2 });
    const begun = idOpening(pruning, ids, []);
    const conversation = new Conversation({
      ...begun,
      sampler: scriptedSampler([ended("Well")]),
      sha256,
      maxTotalTokens: 4000,
      tools: [],
      task: null,
    });
    const settings = { temperature: 1, topP: 1, topK: -1, maxTokens: 9, seed: 1 };
    await conversation.sample(settings);
    await conversation.say("And?");
    expect(conversation.context.slice(0, ids.length)).toEqual(ids);
    expect(tokenizer.decode(conversation.context.slice(ids.length))).toContain("Well<|im_end|>");
  });
});
