import fc from "fast-check";
import { expect, it } from "vitest";
import { imageId } from "../../../../src/core/images/imageIds.ts";
import { inputChunks } from "../../../../src/core/tinker/wire/modelInput.ts";
import { encodeSampleBody } from "../../../../src/core/tinker/wire/sampleBody.ts";
import { aPng } from "../../images/someImages.ts";

const BODY = {
  num_samples: 1,
  sampling_params: {
    max_tokens: 7,
    stop: ["</answer>", "é\n"],
    temperature: 1,
    top_k: -1,
    top_p: 1,
  },
  prompt_logprobs: false,
  sampling_session_id: "sampler",
  seq_id: 3,
  type: "sample",
};

const parsed = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

it("a sample request is JSON with the parameters and the prompt's ids", () => {
  const id = fc.oneof(fc.nat(20), fc.nat(200_000), fc.constant(2 ** 31 - 1));
  fc.assert(
    fc.property(fc.array(id), (ids) => {
      const expected = { ...BODY, prompt: { chunks: inputChunks(ids) } };
      expect(parsed(encodeSampleBody({ prompt: ids }, BODY))).toEqual(expected);
      expect(parsed(encodeSampleBody({ prompt: Int32Array.from(ids) }, BODY))).toEqual(expected);
    }),
  );
});

it("a sample request has images in position between the texts", () => {
  const images = [aPng(224, 224), aPng(400, 300)];
  const prompt = [10, imageId(0), imageId(0), imageId(1), 9, 100];
  const expected = { ...BODY, prompt: { chunks: inputChunks(prompt, images) } };
  expect(parsed(encodeSampleBody({ prompt, images }, BODY))).toEqual(expected);
});
