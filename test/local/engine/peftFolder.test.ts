import { describe, expect, it } from "vitest";
import { newOptimizerState } from "../../../src/local/engine/adam.ts";
import { encodeAdapter } from "../../../src/local/engine/adapterFile.ts";
import { adapterLayout } from "../../../src/local/engine/architecture.ts";
import { peftFiles } from "../../../src/local/engine/peftFolder.ts";
import { decodeSafetensors } from "../../../src/local/engine/safetensors.ts";
import { SMALL } from "./testModel.ts";

const RANK = 3;
const layout = adapterLayout(SMALL, RANK);

function adapter(withOptimizer: boolean): Uint8Array {
  const optimizer = withOptimizer ? newOptimizerState(layout.length) : null;
  const parameters = Float32Array.from({ length: layout.length }, (_, i) => i);
  return encodeAdapter("local/test", {
    layout,
    parameters,
    optimizer,
    trainAttn: true,
    trainMlp: true,
  });
}

function folder(withOptimizer: boolean) {
  return peftFiles({ baseModel: "local/test", rank: RANK, bytes: adapter(withOptimizer) });
}

describe("a PEFT folder", () => {
  it("describes how to add the weights to the base model", () => {
    const config: unknown = JSON.parse(
      new TextDecoder().decode(folder(true).get("adapter_config.json")),
    );
    expect(config).toMatchObject({
      peft_type: "LORA",
      base_model_name_or_path: "local/test",
      r: RANK,
      lora_alpha: 6,
      target_modules: [
        ...["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
      ],
    });
  });

  it("contains the weights and nothing from the optimizer", () => {
    const bytes = folder(true).get("adapter_model.safetensors") ?? new Uint8Array();
    const { tensors, metadata } = decodeSafetensors(bytes);
    expect([...tensors.keys()].filter((name) => !/\.lora_[AB]\.weight$/.test(name))).toEqual([]);
    expect(tensors.size).toBe(SMALL.layers * 7 * 2);
    expect(Object.keys(metadata)).not.toContain("optimizer_steps");
  });

  it("is the same with and without the optimizer's state", () => {
    const [state, weights] = [folder(true), folder(false)];
    expect([...state.keys()]).toEqual([...weights.keys()]);
    for (const [name, bytes] of state) {
      expect(Buffer.from(bytes).equals(weights.get(name) ?? new Uint8Array()), name).toBe(true);
    }
  });

  it("is not made from a damaged file", () => {
    const bytes = adapter(false).subarray(0, 100);
    expect(() => peftFiles({ baseModel: "local/test", rank: RANK, bytes })).toThrowError(
      expect.objectContaining({ code: "safetensors-invalid" }),
    );
  });
});
