import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EngineDatum } from "../../../src/local/engine/engine.ts";
import { MICRO_BATCH_TOKENS, microBatches } from "../../../src/local/engine/trainingPool.ts";

function datumOf(length: number): EngineDatum {
  return {
    tokens: new Int32Array(length),
    targets: new Int32Array(length),
    weights: new Float32Array(length),
    logprobs: null,
  };
}

function lengths(data: readonly number[]): readonly (readonly number[])[] {
  return microBatches(data.map(datumOf)).map((part) => part.map(({ tokens }) => tokens.length));
}

describe("microBatches", () => {
  it("fill a micro-batch to its last token", () => {
    expect(lengths([512, 512, 1])).toEqual([[512, 512], [1]]);
    expect(lengths([512, 513])).toEqual([[512], [513]]);
  });

  it("of no data are empty", () => {
    expect(microBatches([])).toEqual([]);
  });

  it("contain every datum, in order, within the limit and none of them empty", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: MICRO_BATCH_TOKENS })), (sizes) => {
        const data = sizes.map(datumOf);
        const parts = microBatches(data);
        expect(parts.flat()).toEqual(data);
        for (const part of parts) {
          const total = part.reduce((sum, { tokens }) => sum + tokens.length, 0);
          expect(total).toBeLessThanOrEqual(MICRO_BATCH_TOKENS);
          expect(part.length).toBeGreaterThan(0);
        }
      }),
    );
  });
});
