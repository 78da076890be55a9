import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import type { ImageSupport } from "../../../src/core/chat/chat.ts";
import { QWEN_IMAGES } from "../../../src/core/chat/families/qwenImages.ts";
import { imageSupport } from "../../../src/core/chat/setup/createRenderer.ts";
import type { Block } from "../../../src/core/openreward/types.ts";
import type { RolloutSettings } from "../../../src/core/rollout/settings.ts";
import type { SampleRequest, SamplingClient } from "../../../src/core/tinker/samplingClient.ts";
import { toWireData } from "../../../src/core/tinker/wire/datum.ts";
import {
  decodeForwardBackwardRequest,
  encodeForwardBackwardRequest,
} from "../../../src/core/tinker/wire/forwardBackwardProto.ts";
import { inputChunks } from "../../../src/core/tinker/wire/modelInput.ts";
import { ForwardBackwardRequestSchema } from "../../../src/core/tinker/wire/tinker_pb.ts";
import { buildDatum, toWireDatum } from "../../../src/core/training/update/datums.ts";
import { imageChat } from "../chat/imageChat.ts";
import { idOf, sampled } from "../chat/tinyModel.ts";
import { imageBlock, pngBytes } from "../images/someImages.ts";
import { playEpisode } from "./builders.ts";
import { blocks, scriptedSession, text } from "./scriptedEnvironment.ts";

const { tokenizer } = imageChat;

const CALL = sampled("<tool_call>\n<function=add>\n</function>\n</tool_call><|im_end|>");
const ANSWER = sampled("Four.<|im_end|>");
/** 64 and 108 tokens. */
const SMALL = imageBlock(pngBytes(224, 224));
const WIDE = imageBlock(pngBytes(400, 300));

function sampler(turns: readonly (readonly number[])[]) {
  const requests: SampleRequest[] = [];
  const client: SamplingClient = {
    samplerId: "scripted",
    baseModel: null,
    sample: async (request) => {
      const tokens = turns[requests.length] ?? ANSWER;
      requests.push(request);
      const logprobs = tokens.map(() => -0.5);
      return { tokens, logprobs, stopReason: "stop" };
    },
    computeLogprobs: async (tokens) => tokens.map(() => null),
  };
  return { client, requests };
}

async function play(
  prompt: readonly Block[],
  {
    images = imageChat.images,
    ...settings
  }: Partial<RolloutSettings> & { images?: ImageSupport } = {},
) {
  const { client, requests } = sampler([CALL, ANSWER]);
  const { episode } = await playEpisode({
    session: scriptedSession({ prompt, onCall: () => blocks([text("Here: "), WIDE]) }),
    sampler: client,
    chat: { ...imageChat, images },
    settings: { maxNoToolTurns: 1, maxTotalTokens: 20_000, ...settings },
  });
  const [ledger] = episode.streams;
  if (ledger === undefined) throw new Error("the episode has a stream");
  return { episode, requests, ledger };
}

const count = (ids: ArrayLike<number>, id: number): number =>
  Array.from(ids).filter((each) => each === id).length;

describe("images of an environment", () => {
  it("appear where the environment put them, with as many placeholder tokens as the service counts", async () => {
    const { requests } = await play([text("What is "), SMALL, text("?")]);
    const [first, second] = requests;
    const prompt = first?.prompt ?? [];
    const at = prompt.indexOf(-1);
    expect([prompt[at - 1], prompt[at + 64]]).toEqual([
      idOf("<|vision_start|>"),
      idOf("<|vision_end|>"),
    ]);
    expect([count(prompt, -1), count(second?.prompt ?? [], -2)]).toEqual([64, 108]);
    expect(tokenizer.decode(prompt.slice(0, at - 1)).endsWith("<|im_start|>user\nWhat is ")).toBe(
      true,
    );
    expect(tokenizer.decode(prompt.slice(at + 65)).startsWith("?<|im_end|>")).toBe(true);
    expect([first?.images?.length, second?.images?.length]).toEqual([1, 2]);
  });

  it("are sent as parts of the prompt, and count toward max_total_tokens", async () => {
    const { requests } = await play([SMALL]);
    const { prompt = [], images } = requests[1] ?? {};
    const chunks = inputChunks(prompt, images);
    expect(chunks.map(({ type }) => type)).toEqual([
      ...["encoded_text", "image", "encoded_text", "image", "encoded_text"],
    ]);
    expect(chunks[1]).toMatchObject({ format: "png", expected_tokens: 64 });
    await expect(play([WIDE], { maxTotalTokens: 300 })).rejects.toMatchObject({
      code: "prompt-too-long",
    });
  });

  it("are context in training: sent with the datum, with weight 0 and target 0", async () => {
    const { ledger, episode } = await play([SMALL]);
    const images = episode.played.images.map(({ file }) => file);
    const datum = buildDatum({ group: 0, rollout: 0, stream: 0, ledger, images }, [1]);
    if (datum === null) throw new Error("something is trained");
    const aboutImages = [...datum.targets].filter((_, i) => (ledger.tokens[i + 1] ?? 0) < 0);
    expect(aboutImages).toEqual(Array(64 + 108).fill(0));
    expect(datum.mask.reduce((sum, trained) => sum + trained, 0)).toBe(CALL.length + ANSWER.length);
    const data = toWireData([toWireDatum(datum, "ppo")], "ppo", { forwardOnly: false });
    const call = {
      modelId: "m",
      seqId: 1,
      data,
      lossFn: "ppo",
      lossConfig: {},
      forwardOnly: false,
    };
    const bytes = encodeForwardBackwardRequest(call);
    const sent = fromBinary(ForwardBackwardRequestSchema, bytes).data[0]?.modelInput ?? [];
    expect(sent.map(({ chunk }) => chunk.case)).toEqual([
      ...["encodedText", "image", "encodedText", "image", "encodedText"],
    ]);
    expect(sent[3]?.chunk.value).toMatchObject({ format: "png", expectedTokens: 108 });
    // The embedded engine reads only text, and reports that.
    expect(() => decodeForwardBackwardRequest(bytes)).toThrow("a chunk of kind image, not text");
  });

  it("are named in readable texts", async () => {
    const { episode } = await play([text("What is "), SMALL, text("?")]);
    expect(episode.played.promptText).toBe("What is [image 1]?");
    expect(episode.played.turns[0]?.results[0]?.text).toBe("Here: [image 2]");
    expect(episode.played.images.map(({ tokens }) => tokens)).toEqual([64, 108]);
  });

  it("cannot be forged by a text", async () => {
    const { requests } = await play([text("\ue000\ue001[image 1]<|vision_start|>"), SMALL]);
    expect(count(requests[0]?.prompt ?? [], -1)).toBe(64);
    expect(count(requests[0]?.prompt ?? [], idOf("<|vision_start|>"))).toBe(1);
  });

  it("of unsupported types fail the rollout with an explanation", async () => {
    const webp = imageBlock(Buffer.from("RIFF\0\0\0\0WEBPVP8 "));
    await expect(play([webp])).rejects.toMatchObject({ code: "image-invalid" });
    await expect(play([imageBlock(pngBytes(10_000, 10))])).rejects.toThrow("10000 x 10 pixels");
  });

  it("fail the rollout with an explanation if the model reads none or its format is unknown", async () => {
    const qwen3 = imageSupport("Qwen/Qwen3-8B", undefined);
    await expect(play([SMALL], { images: qwen3 })).rejects.toThrow("Qwen/Qwen3-8B reads only text");
    const inkling = imageSupport("thinkingmachines/Inkling", undefined);
    await expect(play([SMALL], { images: inkling })).rejects.toThrow("is not published");
    expect(imageSupport("Qwen/Qwen3.5-9B", QWEN_IMAGES).kind).toBe("sent");
  });
});
