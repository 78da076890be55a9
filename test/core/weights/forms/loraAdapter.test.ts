import { describe, expect, it } from "vitest";
import { readLoraAdapter } from "../../../../src/core/weights/forms/loraAdapter.ts";
import { diskOf, fileOf, type VectorTensors, vectorsOf } from "./cookbookForms.ts";

const vectors = vectorsOf("nemotron_h");
const MODULE = "base_model.model.model.layers.1.mixer.q_proj";

function tensor(...shape: readonly number[]): VectorTensors[string] {
  const count = shape.reduce((product, size) => product * size, 1);
  return { dtype: "F32", shape, data: Buffer.alloc(4 * count).toString("base64") };
}

describe("an adapter", () => {
  it("is read in pairs, without those of projections that the model lacks", async () => {
    const { pairs, rank, alpha } = await readLoraAdapter(await diskOf(vectors), "/adapter");
    expect([rank, alpha]).toEqual([2, 4]);
    expect(pairs.map(({ module }) => module)).not.toContain("model.layers.2.mixer.experts.w3");
    expect(pairs).toHaveLength(Object.keys(vectors.adapter).length / 2 - 1);
  });

  it.each<readonly [string, VectorTensors, RegExp]>([
    ["no tensors", {}, /no tensors/],
    [
      "half a pair",
      { [`${MODULE}.lora_A.weight`]: tensor(2, 8) },
      /q_proj" lacks lora_A or lora_B/,
    ],
    ["a whole matrix", { "base_model.model.lm_head.weight": tensor(8, 8) }, /neither lora_A nor/],
    [
      "two ranks",
      { [`${MODULE}.lora_A.weight`]: tensor(2, 8), [`${MODULE}.lora_B.weight`]: tensor(8, 3) },
      /shapes \[2, 8\] and \[8, 3\]/,
    ],
    [
      "experts in one half",
      { [`${MODULE}.lora_A.weight`]: tensor(3, 2, 8), [`${MODULE}.lora_B.weight`]: tensor(8, 2) },
      /shapes/,
    ],
    [
      "several numbers of experts",
      {
        [`${MODULE}.lora_A.weight`]: tensor(3, 2, 8),
        [`${MODULE}.lora_B.weight`]: tensor(2, 8, 2),
      },
      /shapes/,
    ],
    [
      "a shape that its data does not have",
      { [`${MODULE}.lora_A.weight`]: { ...tensor(2, 8), shape: [2 ** 40, 8] } },
      /not a tensor of 32-bit or 16-bit floats/,
    ],
    [
      "whole numbers",
      { [`${MODULE}.lora_A.weight`]: { ...tensor(2, 8), dtype: "I32" } },
      /not a tensor of 32-bit or 16-bit floats/,
    ],
    [
      "names that move the cursor",
      { "\u001b[2J": tensor(2, 8) },
      /"␛\[2J" is neither lora_A nor lora_B/,
    ],
  ])("with %s is refused", async (_, adapter, message) => {
    const files = await diskOf(vectors);
    await files.writeAtomic("/adapter/adapter_model.safetensors", fileOf(adapter));
    const read = readLoraAdapter(files, "/adapter");
    await expect(read).rejects.toMatchObject({ code: "weights-form" });
    await expect(read).rejects.toThrow(message);
  });

  it.each([
    { r: 2 },
    { r: 0, lora_alpha: 4 },
    { r: 2, lora_alpha: 4, use_rslora: true },
    { r: 2, lora_alpha: 4, use_dora: true },
    { r: 2, lora_alpha: 4, rank_pattern: { q_proj: 4 } },
  ])(
    "with the settings %j is refused, because it scales in another way",
    async (adapter_config) => {
      const read = readLoraAdapter(await diskOf({ ...vectors, adapter_config }), "/adapter");
      await expect(read).rejects.toThrow(/adapter_config.json/);
    },
  );
});
