import { describe, expect, it } from "vitest";
import { vector, type WireTensor } from "../../../../../src/core/tinker/wire/tensors.ts";
import { type Batch, checkBatch } from "../../../../../src/local/engine/service/wire/lossInputs.ts";
import { fakeModel } from "../../../../fakes/fakeEngine.ts";

const ints = (...values: number[]) => vector(Int32Array.of(...values));
const floats = (...values: number[]) => vector(Float32Array.of(...values));

const rl = { target_tokens: ints(4, 5), logprobs: floats(0, -1), advantages: floats(0, 2) };
const gspo = { ...rl, sequence_ratio_mask: floats(0, 1) };
const BOUNDS = { clip_low_threshold: 0.9, clip_high_threshold: 1.1 };
const sft = { target_tokens: ints(4, 5), weights: floats(1, 0.5) };

function batch(
  lossFn: string,
  lossInputs: Record<string, WireTensor>,
  {
    tokens = [3, 4],
    lossConfig = {},
  }: { tokens?: number[]; lossConfig?: Batch["lossConfig"] } = {},
): Batch {
  return { lossFn, lossConfig, data: [{ tokens: Int32Array.from(tokens), lossInputs }] };
}

const { advantages: _, ...withoutAdvantages } = rl;
const matrix: WireTensor = { values: Int32Array.of(4, 5), shape: [2, 1] };

const refused: readonly (readonly [string, Batch, string])[] = [
  ["a missing input", batch("ppo", withoutAdvantages), "lacks the input advantages"],
  [
    "a loss that only Tinker's service computes",
    batch("stable_reinforce", rl),
    "stable_reinforce is not supported; choose one of cross_entropy, importance_sampling, ppo",
  ],
  ["an extra input", batch("ppo", { ...rl, weights: floats(1, 1) }), "has the input weights"],
  ["a mask", batch("cross_entropy", { ...sft, mask: floats(1, 1) }), "has the input mask"],
  [
    "a short array",
    batch("ppo", { ...rl, logprobs: floats(0) }),
    "has 1 entries for 2 input tokens",
  ],
  ["short targets", batch("cross_entropy", { ...sft, target_tokens: ints(4) }), "has 1 entries"],
  ["NaN", batch("ppo", { ...rl, advantages: floats(0, Number.NaN) }), "NonFiniteInTensor"],
  ["infinity", batch("ppo", { ...rl, logprobs: floats(0, -Infinity) }), "NonFiniteInTensor"],
  [
    "a token beyond the vocabulary",
    batch("cross_entropy", sft, { tokens: [3, 32] }),
    "the token 32",
  ],
  [
    "a negative target",
    batch("cross_entropy", { ...sft, target_tokens: ints(4, -1) }),
    "the token -1",
  ],
  [
    "a fraction as target",
    batch("cross_entropy", { ...sft, target_tokens: floats(4, 0.5) }),
    "not an integer",
  ],
  ["two axes", batch("cross_entropy", { ...sft, target_tokens: matrix }), "not supported"],
  ["no tokens", batch("cross_entropy", sft, { tokens: [] }), "has no tokens"],
  ["too many tokens", batch("cross_entropy", sft, { tokens: Array(65).fill(3) }), "holds 64"],
  ["an unknown loss", batch("dppo", rl), "The loss dppo is not supported"],
  [
    "gspo without its mask",
    batch("gspo", rl, { lossConfig: BOUNDS }),
    "lacks the input sequence_ratio_mask",
  ],
  ["gspo without its bounds", batch("gspo", gspo), "gspo needs clip_low_threshold"],
  [
    "gspo of no token",
    batch("gspo", { ...gspo, sequence_ratio_mask: floats(0, 0) }, { lossConfig: BOUNDS }),
    "sequence_ratio_mask marks no token",
  ],
  ["an inherited name as loss", batch("toString", rl), "is not supported"],
  ["an unknown key", batch("ppo", rl, { lossConfig: { clip_lo: 0.5 } }), "no config key clip_lo"],
  ["a key of another loss", batch("ppo", rl, { lossConfig: { beta: 0.5 } }), "no config key beta"],
  ["text as number", batch("dro", rl, { lossConfig: { beta: "0.5" } }), "must be a finite number"],
  ["NaN as number", batch("dro", rl, { lossConfig: { beta: Number.NaN } }), "must be a finite"],
  ["dro without beta", batch("dro", rl), "needs beta"],
  [
    "crossed bounds",
    batch("ppo", rl, { lossConfig: { clip_low_threshold: 2 } }),
    "clip_low_threshold 2 exceeds",
  ],
  ["an empty batch", { lossFn: "ppo", lossConfig: {}, data: [] }, "no datum"],
];

describe("checkBatch", () => {
  it.each(refused)("rejects %s", (_what, input, message) => {
    expect(() => checkBatch(input, fakeModel)).toThrow(message);
  });

  it("passes on advantages and sampling log-probs of an RL loss", () => {
    const { data } = checkBatch(batch("importance_sampling", rl), fakeModel);
    expect(data).toEqual([
      {
        tokens: Int32Array.of(3, 4),
        targets: Int32Array.of(4, 5),
        weights: Float32Array.of(0, 2),
        logprobs: Float32Array.of(0, -1),
      },
    ]);
  });

  it("passes on the mask of gspo", () => {
    const { data, loss } = checkBatch(batch("gspo", gspo, { lossConfig: BOUNDS }), fakeModel);
    expect(data[0]?.ratioMask).toEqual(Float32Array.of(0, 1));
    expect(loss).toMatchObject({ clipLow: 0.9, clipHigh: 1.1 });
  });

  it("passes on the weights of cross_entropy, and no log-probs", () => {
    const { data } = checkBatch(batch("cross_entropy", sft), fakeModel);
    expect(data[0]).toMatchObject({ weights: Float32Array.of(1, 0.5), logprobs: null });
  });

  it.each([
    ["ppo", 0.8, 1.2],
    ["cispo", 0, 4],
  ])("gives %s its documented bounds", (name, clipLow, clipHigh) => {
    expect(checkBatch(batch(name, rl), fakeModel).loss).toMatchObject({ clipLow, clipHigh });
  });

  it("reads bounds from the config, and bounds per token from the inputs", () => {
    const input = batch(
      "ppo",
      { ...rl, clip_high_threshold: floats(1.1, 1.3) },
      { lossConfig: { clip_low_threshold: 0.5 } },
    );
    const { loss, data } = checkBatch(input, fakeModel);
    expect(loss).toMatchObject({ clipLow: 0.5, clipHigh: 1.2 });
    expect(data[0]?.clipHigh).toEqual(Float32Array.of(1.1, 1.3));
    expect(data[0]?.clipLow).toBeUndefined();
  });
});
