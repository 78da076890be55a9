import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planSample } from "../../../../../src/local/engine/service/sampling/samplePlan.ts";
import { sequenceSeed } from "../../../../../src/local/engine/service/sampling/sequenceSeed.ts";
import { type SampleJson, sample } from "../../../../../src/local/engine/service/wire/schemas.ts";
import { fakeModel } from "../../../../fakes/fakeEngine.ts";

function request(fields: object = {}, params: object = {}): SampleJson {
  return sample.parse({
    prompt: { chunks: [{ type: "encoded_text", tokens: [3, 4, 5] }] },
    sampling_params: { max_tokens: 4, ...params },
    ...fields,
  });
}

const plan = (fields: object = {}, params: object = {}, numSamples = 1) =>
  planSample(request(fields, params), numSamples, fakeModel, () => 17);

const targets = { dtype: "int64", data: [4, -1, 5, 6], shape: [2, 2] };

describe("planSample", () => {
  it.each([
    ["a prompt too long for the context", {}, { max_tokens: 62 }, "PromptTooLong"],
    ["a token beyond the vocabulary", { prompt: chunk([3, 32]) }, {}, "the token 32"],
    ["an empty prompt", { prompt: { chunks: [] } }, {}, "empty"],
    ["an image", { prompt: { chunks: [{ type: "image" }] } }, {}, "not supported"],
    ["a stop id beyond the vocabulary", {}, { stop: [99] }, "the token 99"],
    ["an empty stop string", {}, { stop: "" }, "empty string"],
    ["top_k 0", {}, { top_k: 0 }, "top_k is 0"],
    ["prompt_alt_tokens_k", { prompt_alt_tokens_k: 2 }, {}, "not supported"],
    ["record_stability_info", { record_stability_info: true }, {}, "not supported"],
    ["more last scores than there are", { prompt_logprobs_last_n: 3 }, {}, "has 2 scores"],
    [
      "targets of another shape",
      { target_prompt_logprobs: { ...targets, shape: [4] } },
      {},
      "shape",
    ],
    ["too many top tokens", { topk_prompt_logprobs: 33 }, {}, "33"],
  ])("rejects %s", (_what, fields, params, message) => {
    expect(() => plan(fields, params)).toThrow(message);
  });

  it("ends at end-of-text by default, never with an empty list, otherwise at the given stops", () => {
    const stops = (stop: unknown) => {
      const { stopIds, stopStrings } = plan({}, { stop }).sequences[0] ?? {};
      return [stopIds, stopStrings];
    };
    expect(stops(null)).toEqual([[2], []]);
    expect(stops([])).toEqual([[], []]);
    expect(stops("ab")).toEqual([[], ["ab"]]);
    expect(stops(["a", "b"])).toEqual([[], ["a", "b"]]);
    expect(stops([7, 8])).toEqual([[7, 8], []]);
  });

  it("fills the context when max_tokens is absent", () => {
    expect(plan({}, { max_tokens: undefined }).sequences[0]?.maxTokens).toBe(61);
  });

  it("gives each sequence its own random stream, the same for the same seed", () => {
    const seeds = (count: number, params = {}) =>
      plan({}, params, count).sequences.map((sequence) => sequence.seed);
    const three = seeds(3, { seed: 5 });
    expect(new Set(three).size).toBe(3);
    expect(seeds(2, { seed: 5 })).toEqual(three.slice(0, 2));
    expect(seeds(3)).toEqual(seeds(3, { seed: 17 }));
  });

  it("scores the prompt only on request", () => {
    expect(plan().score).toBeNull();
    expect(plan({ prompt_logprobs: true }).score).toMatchObject({ top: 0, targets: null });
    expect(plan({ topk_prompt_logprobs: 2 }).score).toMatchObject({ top: 2 });
    expect(plan({ target_prompt_logprobs: targets }).score).toMatchObject({
      targets: Int32Array.of(4, -1, 5, 6),
      targetsPerPosition: 2,
    });
  });
});

describe("sequenceSeed", () => {
  it("is a 32-bit integer that differs between sequences of any seed", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.nat(200), fc.nat(200), (seed, a, b) => {
        const first = sequenceSeed(seed, a);
        expect(Number.isInteger(first) && first >= 0 && first < 2 ** 32).toBe(true);
        expect(first === sequenceSeed(seed, b)).toBe(a === b);
      }),
    );
  });

  it("distinguishes seeds beyond 32 bits", () => {
    expect(sequenceSeed(1, 0)).not.toBe(sequenceSeed(1 + 2 ** 32, 0));
  });
});

function chunk(tokens: number[]) {
  return { chunks: [{ type: "encoded_text", tokens }] };
}
