import { describe, expect, it } from "vitest";
import { newOptimizerState, type OptimizerState } from "../../../src/local/engine/adam.ts";
import {
  type AdapterContents,
  decodeAdapter,
  encodeAdapter,
} from "../../../src/local/engine/adapterFile.ts";
import {
  type AdapterLayout,
  adapterLayout,
  PROJECTIONS,
} from "../../../src/local/engine/architecture.ts";
import { decodeSafetensors, encodeSafetensors } from "../../../src/local/engine/safetensors.ts";
import { createNormal } from "../../../src/local/random.ts";
import { SMALL } from "./testModel.ts";

const MODEL = "local/test";

/** Random numbers in the true ranks, zeros in their padding. */
function randomFlat(layout: AdapterLayout, seed: number): Float32Array {
  const normal = createNormal(seed);
  const flat = new Float32Array(layout.length);
  for (const layer of layout.layers) {
    for (const projection of PROJECTIONS) {
      const { a, b } = layer[projection];
      for (let i = 0; i < a.rows; i++) {
        for (let j = 0; j < layout.rank; j++) flat[a.offset + i * a.columns + j] = normal();
      }
      for (let i = 0; i < layout.rank * b.columns; i++) flat[b.offset + i] = normal();
    }
  }
  return flat;
}

function contents(rank: number, withOptimizer: boolean): AdapterContents {
  const layout = adapterLayout(SMALL, rank);
  const optimizer: OptimizerState = {
    m: randomFlat(layout, 2),
    v: randomFlat(layout, 3),
    steps: 7,
  };
  return {
    layout,
    parameters: randomFlat(layout, 1),
    optimizer: withOptimizer ? optimizer : null,
    trainAttn: false,
    trainMlp: true,
  };
}

describe("an adapter file", () => {
  it.each([1, 3, 8, 12])("restores rank %i with its optimizer, bit for bit", (rank) => {
    const before = contents(rank, true);
    expect(decodeAdapter(encodeAdapter(MODEL, before), MODEL, SMALL, true)).toEqual(before);
  });

  it("uses PEFT's names and orientation in the true rank", () => {
    const before = contents(3, false);
    const { tensors, metadata } = decodeSafetensors(encodeAdapter(MODEL, before));
    const prefix = "base_model.model.model.layers.1.mlp.down_proj";
    const a = tensors.get(`${prefix}.lora_A.weight`);
    const b = tensors.get(`${prefix}.lora_B.weight`);
    expect(a?.shape).toEqual([3, SMALL.feedForwardSize]);
    expect(b?.shape).toEqual([SMALL.hiddenSize, 3]);
    const span = before.layout.layers[1]?.down;
    if (span === undefined) throw new Error("no such layer");
    expect(a?.data[2 * SMALL.feedForwardSize + 5]).toBe(
      before.parameters[span.a.offset + 5 * 8 + 2],
    );
    expect(b?.data[5 * 3 + 2]).toBe(before.parameters[span.b.offset + 2 * SMALL.hiddenSize + 5]);
    expect(tensors.size).toBe(SMALL.layers * PROJECTIONS.length * 2);
    expect(metadata).toMatchObject({ base_model: MODEL, rank: "3" });
  });

  it("may contain an optimizer that is not requested", () => {
    const before = contents(8, true);
    const after = decodeAdapter(encodeAdapter(MODEL, before), MODEL, SMALL, false);
    expect(after).toEqual({ ...before, optimizer: null });
  });
});

describe("an incompatible checkpoint", () => {
  const invalid = expect.objectContaining({ code: "checkpoint-invalid" });
  const good = encodeAdapter(MODEL, contents(8, false));

  it("is rejected if it belongs to another model", () => {
    expect(() => decodeAdapter(good, "local/other", SMALL, false)).toThrow(invalid);
  });

  it("is rejected if the optimizer is requested but missing", () => {
    expect(() => decodeAdapter(good, MODEL, SMALL, true)).toThrow(invalid);
  });

  it("is rejected if the model has other sizes", () => {
    const wider = { ...SMALL, feedForwardSize: 56 };
    expect(() => decodeAdapter(good, MODEL, wider, false)).toThrow(invalid);
    expect(() => decodeAdapter(good, MODEL, { ...SMALL, layers: 3 }, false)).toThrow(invalid);
  });

  it("is rejected if it is truncated or not such a file", () => {
    expect(() => decodeAdapter(good.subarray(0, good.length - 4), MODEL, SMALL, false)).toThrow(
      invalid,
    );
    expect(() => decodeAdapter(new Uint8Array(20), MODEL, SMALL, false)).toThrow(invalid);
  });

  it.each(["", "x", "0", "-8", "1.5", "1e9"])("is rejected if it states the rank %j", (rank) => {
    const file = decodeSafetensors(good);
    const bytes = encodeSafetensors({ ...file, metadata: { ...file.metadata, rank } }, "F32");
    expect(() => decodeAdapter(bytes, MODEL, SMALL, false)).toThrow(invalid);
  });

  it("is rejected if its count of optimizer steps is invalid", () => {
    const optimizer = { ...newOptimizerState(adapterLayout(SMALL, 8).length), steps: Number.NaN };
    const bytes = encodeAdapter(MODEL, { ...contents(8, false), optimizer });
    expect(() => decodeAdapter(bytes, MODEL, SMALL, true)).toThrow(invalid);
  });
});
