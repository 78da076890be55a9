import { describe, expect, it } from "vitest";
import { createRenderer } from "../../../src/core/chat/setup/createRenderer.ts";
import type { PlayerMove, PlayerView } from "../../../src/core/play/player.ts";
import { PlayerSampler } from "../../../src/core/play/playerSampler.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { qwen3Model } from "../../node/tokenizer/qwen3Model.ts";
import { playEpisode } from "../rollout/builders.ts";
import { result, scriptedSession } from "../rollout/scriptedEnvironment.ts";
import { aConfig } from "../training/builders.ts";

const config = aConfig({ model_name: "Qwen/Qwen3-8B" });
const { renderer } = createRenderer({ model: qwen3Model, config, date: "2026-11-27" });
const chat = { renderer, tokenizer: qwen3Model.tokenizer };

/** Plays the moves in a game that the tool `answer` ends. */
function play(...moves: readonly PlayerMove[]) {
  return playIn(chat, moves);
}

async function playIn(format: typeof chat, moves: readonly PlayerMove[]) {
  const views: PlayerView[] = [];
  const session = scriptedSession({
    onCall: ({ name }) => result(`done: ${name}`, { reward: 0.5, finished: name === "answer" }),
  });
  const tools = await session.tools();
  const sampler = new PlayerSampler({
    chat: format,
    tools: () => tools,
    takeNews: () => ({ news: [], isNew: false }),
    player: {
      move: async (view) => {
        views.push(view);
        return moves[views.length - 1] ?? { kind: "leave" };
      },
    },
  });
  const clock = new FakeClock();
  const settings = { recomputesLogprobs: false };
  const playing = playEpisode({ session, sampler, settings, clock, chat });
  return { views, session, ...(await playing) };
}

describe("a player in place of the model", () => {
  it("calls with exact arguments, in turns of the model's own format", async () => {
    const args = { text: 'a "b"\n<|im_end|> ü', n: 3 };
    const { session, episode } = await play(
      { kind: "call", name: "add", args },
      { kind: "call", name: "answer", args: {} },
    );
    expect(session.calls).toEqual([
      ["add", args],
      ["answer", {}],
    ]);
    expect(episode.played.rewards).toEqual([0.5, 0.5]);
    expect(episode.played.turns.map(({ calls }) => calls.length)).toEqual([1, 1]);
  });

  it("reads what the model would read since its last turn", async () => {
    const { views } = await play(
      { kind: "text", text: "Let me think." },
      { kind: "call", name: "add", args: {} },
      { kind: "call", name: "answer", args: {} },
    );
    expect(views[0]?.text).toContain("<|im_start|>user");
    expect(views[1]?.text).not.toContain("Let me think.");
    expect(views[2]?.text).toContain("done: add");
    expect(views[2]?.text).not.toContain("<tool_call>");
  });

  it("reads all of another stream, even if it is longer", async () => {
    const shown: string[] = [];
    const player = {
      move: async ({ text }: PlayerView): Promise<PlayerMove> => {
        shown.push(text);
        return { kind: "text", text: "Fine." };
      },
    };
    const tools = await scriptedSession({}).tools();
    const takeNews = () => ({ news: [], isNew: true });
    const sampler = new PlayerSampler({ chat, player, tools: () => tools, takeNews });
    const prompts = ["Play.", "Judge this answer of another player: it is much longer than that."];
    for (const content of prompts) {
      const prompt = Int32Array.from(renderer.renderInitial([{ role: "user", content }], []));
      await sampler.sample({ prompt, maxTokens: 9, temperature: 1, topK: -1, topP: 1 });
    }
    expect(shown).toEqual(prompts.map((content) => expect.stringContaining(`user\n${content}`)));
  });

  it("has no log-probabilities, so that its turns are never trained on as samples", async () => {
    const { episode } = await play({ kind: "call", name: "answer", args: {} });
    const [stream] = episode.streams;
    expect(stream?.lastTurn.length).toBeGreaterThan(0);
    expect(episode.played.turnFacts.map(({ sampledTokens }) => sampledTokens > 0)).toEqual([true]);
  });

  it("is asked again for a call that the format cannot express", async () => {
    const parse: typeof renderer.parse = (turn, tools) => {
      const parsed = renderer.parse(turn, tools);
      return parsed.calls[0]?.args["n"] === 13 ? { ...parsed, calls: [] } : parsed;
    };
    const format = { ...chat, renderer: { ...renderer, parse } };
    const { views, session } = await playIn(format, [
      { kind: "call", name: "add", args: { n: 13 } },
      { kind: "call", name: "answer", args: { n: 14 } },
    ]);
    expect(views.map(({ turn, problem }) => [turn, problem])).toEqual([
      [0, null],
      [0, expect.stringContaining("cannot write this call of add")],
    ]);
    expect(session.calls).toEqual([["answer", { n: 14 }]]);
  });

  it("ends the play by leaving", async () => {
    await expect(play({ kind: "call", name: "add", args: {} })).rejects.toMatchObject({
      code: "stopped",
    });
  });
});
