import { describe, expect, it } from "vitest";
import { messageJson } from "../../../src/core/chat/openaiMessages.ts";
import { isAppError } from "../../../src/core/errors.ts";
import { imageAddress } from "../../../src/core/images/imageFile.ts";
import type { Ledger } from "../../../src/core/rollout/ledger.ts";
import { imageChat } from "../chat/imageChat.ts";
import { sampled } from "../chat/tinyModel.ts";
import { aPng, imageBlock, pngBytes } from "../images/someImages.ts";
import { playEpisode } from "../rollout/builders.ts";
import { blocks, scriptedSession, text } from "../rollout/scriptedEnvironment.ts";
import { scriptedSampler } from "../rollout/scriptedModel.ts";
import { type AgentProgram, loop, playAgent, results, said } from "./playAgent.ts";

const CALL = "<tool_call>\n<function=add>\n</function>\n</tool_call><|im_end|>";
const ANSWER = "Four.<|im_end|>";
/** 64 and 108 tokens. */
const SMALL = imageBlock(pngBytes(224, 224));
const WIDE = imageBlock(pngBytes(400, 300));
const game = {
  prompt: [text("What is "), SMALL, text("?")],
  onCall: () => blocks([text("Here: "), WIDE, text(" and "), SMALL]),
};
const settings = { maxTotalTokens: 20_000, maxNoToolTurns: 1 };
const model = { chat: imageChat, sampling: { encodeTurn: sampled } };

function play(program: AgentProgram, turns = [CALL, CALL, ANSWER]) {
  return playAgent({ ...game, ...model, turns, settings, program });
}

function arraysOf({ tokens, logprobs, mask, sources, turns }: Ledger) {
  return { tokens, logprobs, mask, sources, turns };
}

const picture = (width: number, rest = "", height = 100) => {
  return { type: "image_url", image_url: { url: imageAddress(aPng(width, height, rest)) } };
};
const look = (...content: readonly object[]) => [{ role: "user", content }];

describe("an agent that passes its environment's images to the model", () => {
  it("trains what the built-in loop trains, with equal images kept apart", async () => {
    const sampler = scriptedSampler([CALL, CALL, ANSWER], { encodeTurn: sampled });
    const session = scriptedSession(game);
    const native = await playEpisode({ session, sampler, settings, chat: imageChat });
    const { episode, sampler: asked } = await play(loop);
    expect(episode.streams.map(arraysOf)).toEqual(native.episode.streams.map(arraysOf));
    expect(episode.played.images).toEqual(native.episode.played.images);
    expect(episode.played.images.map(({ tokens }) => tokens)).toEqual([64, 108, 64, 108, 64]);
    const sent = (requests: typeof asked.requests) => {
      return requests.map(({ prompt, images }) => ({ prompt: Array.from(prompt), images }));
    };
    expect(sent(asked.requests)).toEqual(sent(sampler.requests));
  });

  it("has them named in readable texts", async () => {
    const { episode } = await play(loop);
    expect(episode.played.promptText).toBe("What is [image 1]?");
    expect(episode.played.conversation).toEqual([]);
    expect(episode.played.turns.map(({ results: [first] }) => first?.text)).toEqual([
      "Here: [image 2] and [image 3]",
      "Here: [image 4] and [image 5]",
      undefined,
    ]);
  });
});

describe("an agent that gives the model images of its own", () => {
  it("has them after the task's images, each once across its conversations", async () => {
    const { episode } = await play(
      async (caller) => {
        await caller.ask(look(picture(300), picture(200)));
        const again = look(picture(300), picture(200), { type: "text", text: "Again?" });
        const turn = await caller.ask(again);
        await caller.ask([...again, said(turn), ...look(picture(300), picture(100))]);
        return 0;
      },
      [ANSWER],
    );
    const widths = episode.played.images.map(({ file }) => file.width);
    expect(widths).toEqual([224, 300, 200, 300, 100]);
    const shown = ({ tokens }: Ledger) => [...new Set(tokens.filter((id) => id < 0))];
    expect(episode.streams.map(shown)).toEqual([
      [-2, -3],
      [-2, -3, -4, -5],
    ]);
    expect(episode.played.turns[1]?.nudge).toBe("[image 4][image 5]");
  });

  it("samples the same turn after an image, whatever was requested before", async () => {
    const seedsOf = async (order: readonly string[]) => {
      const { sampler } = await play(
        async ({ ask }) => {
          for (const rest of order) await ask(look(picture(300, rest)));
          return 0;
        },
        [ANSWER],
      );
      return sampler.requests.map(({ seed }) => seed);
    };
    const [a, b] = await seedsOf(["a", "b"]);
    expect(await seedsOf(["b", "a"])).toEqual([b, a]);
    expect(a).not.toBe(b);
  });

  it.each([
    [
      "an invalid file after a valid one",
      look(picture(500), { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }),
    ],
    ["too long", look(picture(16_000, "", 10))],
    ["too many", look(...Array.from({ length: 64 }, (_, i) => picture(100, `${i}`)))],
  ])("is refused with an explanation, and nothing is sampled: %s", async (_, messages) => {
    const refusals: unknown[] = [];
    const { episode, sampler } = await play(
      async (caller) => {
        await caller.ask(messages).catch((error: unknown) => refusals.push(error));
        await results(caller, await caller.ask(look({ type: "text", text: "Hi" })));
        return 0;
      },
      [ANSWER],
    );
    expect(refusals.map((error) => isAppError(error, "endpoint-refused"))).toEqual([true]);
    expect(sampler.requests).toHaveLength(1);
    expect(episode.played.images).toHaveLength(1);
  });
});

it("an image is included in the messages that an agent receives", () => {
  const message = {
    role: "user",
    content: "So: ",
    images: [{ at: 4, id: -1, tokens: 64 }],
  } as const;
  const file = aPng();
  expect(messageJson(message, [file])).toEqual({
    role: "user",
    content: [
      { type: "text", text: "So: " },
      { type: "image_url", image_url: { url: imageAddress(file) } },
    ],
  });
});

describe("on_image: placeholder", () => {
  it("shows a word in place of each image, from the environment and the agent", async () => {
    const { episode, sampler } = await playAgent({
      ...game,
      ...model,
      turns: [ANSWER],
      settings: { ...settings, onImage: "placeholder" },
      program: async (caller) => {
        expect(caller.task.images).toEqual([]);
        const prompt = { type: "text", text: caller.task.prompt };
        // More images than a rollout may show.
        const many = Array.from({ length: 65 }, () => picture(300));
        await caller.ask(look(prompt, ...many));
        return 0;
      },
    });
    const [{ prompt = [] } = {}] = sampler.requests;
    expect(imageChat.tokenizer.decode([...prompt])).toContain("What is [image]?[image]");
    expect(episode.played.images).toEqual([]);
  });
});
