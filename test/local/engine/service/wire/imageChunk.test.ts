import { describe, expect, it } from "vitest";
import {
  decodeForwardBackwardRequest,
  encodeForwardBackwardRequest,
  type WireDatum,
} from "../../../../../src/core/tinker/wire/forwardBackwardProto.ts";
import { inputChunks } from "../../../../../src/core/tinker/wire/modelInput.ts";
import { vector } from "../../../../../src/core/tinker/wire/tensors.ts";
import type { EngineModel } from "../../../../../src/local/engine/engine.ts";
import { imageReader } from "../../../../../src/local/engine/service/wire/imageChunk.ts";
import { readTokens } from "../../../../../src/local/engine/service/wire/jsonTensors.ts";
import { aPng, pngBytes } from "../../../../core/images/someImages.ts";
import { fakeModel } from "../../../../fakes/fakeEngine.ts";

/** Every position of an image has the id in the last byte of its file. */
const VISION: EngineModel = {
  ...fakeModel,
  imageIds: (image, tokens) => new Int32Array(tokens).fill(image.at(-1) ?? 0),
};
const images = [aPng(64, 64, "\x07"), aPng(64, 64, "\x08")];
const tokens = Int32Array.of(3, -1, -1, 4, 5, -2);
const READ = [3, 7, 7, 4, 5, 8];

function fromProtobuf(model: EngineModel): readonly number[] {
  const lossInputs = { target_tokens: vector(new Int32Array(tokens.length)) };
  const data: readonly WireDatum[] = [{ tokens, images, lossInputs }];
  const bytes = encodeForwardBackwardRequest({
    modelId: "m",
    seqId: 1,
    data,
    lossFn: "ppo",
    lossConfig: {},
    forwardOnly: false,
  });
  const call = decodeForwardBackwardRequest(bytes, (image, where) =>
    imageReader(model, where)(image),
  );
  return [...(call.data[0]?.tokens ?? [])];
}

function fromJson(model: EngineModel, changes: object = {}): readonly number[] {
  const chunks = inputChunks(tokens, images).map((chunk) =>
    chunk.type === "image" ? { ...chunk, ...changes } : { ...chunk },
  );
  return [...readTokens({ chunks }, model, "The prompt")];
}

describe("an engine whose model supports images", () => {
  it("replaces images by as many ids as they have tokens, in protobuf and in JSON", () => {
    expect(fromProtobuf(VISION)).toEqual(READ);
    expect(fromJson(VISION)).toEqual(READ);
  });

  it.each([
    ["another format than the bytes have", { format: "jpeg" }, "format jpeg; its bytes are png"],
    ["bytes of no image", { data: "AAAA" }, "neither png nor jpeg"],
    [
      "a file that is cut off",
      { data: pngBytes(9, 9).subarray(0, 20).toString("base64") },
      "neith",
    ],
    ["no count", { expected_tokens: null }, "expected_tokens absent"],
    ["a count of zero", { expected_tokens: 0 }, "expected_tokens 0"],
    ["half a token", { expected_tokens: 1.5 }, "expected_tokens 1.5"],
    ["a count beyond the context", { expected_tokens: 65 }, "send a count from 1 to 64"],
    ["no base64", { data: "!" }, "base64"],
  ])("rejects %s", (_what, changes, message) => {
    expect(() => fromJson(VISION, changes)).toThrow(message);
  });
});

it("an engine with a text-only model rejects images with a message", () => {
  const words = "Images are not supported: local/fake reads text only.";
  expect(() => fromProtobuf(fakeModel)).toThrow(words);
  expect(() => fromJson(fakeModel)).toThrow(words);
});
