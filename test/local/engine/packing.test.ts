import { describe, expect, it } from "vitest";
import { PROJECTIONS } from "../../../src/local/engine/architecture.ts";
import { Network, type NetworkSequence } from "../../../src/local/engine/network.ts";
import { RANK_8, randomAdapter, randomSequences, SMALL, smallWeights } from "./testModel.ts";

const ROWS = 256;
/** Around the widths of panels and of attention blocks, and the longest that fits. */
const ODD_LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, SMALL.maxContext];

async function trainedNetwork(): Promise<Network> {
  const network = new Network(await smallWeights(), { kind: "lora", largest: RANK_8 }, ROWS);
  network.linear.setAdapter(RANK_8, randomAdapter(RANK_8, 2));
  return network;
}

function oneAtATime(network: Network, sequences: readonly NetworkSequence[]): readonly number[] {
  return sequences.flatMap((sequence) => Array.from(network.forward([sequence])));
}

describe("a packed batch", () => {
  it("gives the log-probs of one sequence at a time, bit for bit, at odd lengths", async () => {
    const network = await trainedNetwork();
    const sequences = randomSequences(SMALL, ODD_LENGTHS, 3);
    const alone = oneAtATime(network, sequences);
    expect(Array.from(network.forward(sequences))).toEqual(alone);
    const reversed = sequences.toReversed();
    expect(Array.from(network.forward(reversed))).toEqual(oneAtATime(network, reversed));
  });

  it("gives the gradient of one sequence at a time", async () => {
    const network = await trainedNetwork();
    const sequences = randomSequences(SMALL, ODD_LENGTHS, 4);
    const backwards = (batch: readonly NetworkSequence[]): void =>
      network.backward(network.forward(batch).fill(-1));
    network.linear.clearGradient();
    backwards(sequences);
    const packed = network.linear.gradient();
    network.linear.clearGradient();
    for (const sequence of sequences) backwards([sequence]);
    const summed = network.linear.gradient();
    const norm = Math.hypot(...summed);
    const difference = Math.hypot(...packed.map((value, i) => value - (summed[i] ?? 0)));
    expect(norm).toBeGreaterThan(1);
    expect(difference / norm).toBeLessThan(1e-6);
  });

  it("is rejected beyond the rows of the network", async () => {
    const network = await trainedNetwork();
    const sequences = randomSequences(SMALL, [60, 60, 60, 60, 17], 5);
    expect(() => network.forward(sequences)).toThrow(
      expect.objectContaining({ code: "engine-rows" }),
    );
  });
});

describe("the model", () => {
  it("is causal: a changed token leaves all earlier log-probs unchanged, bit for bit", async () => {
    const network = await trainedNetwork();
    const [sequence] = randomSequences(SMALL, [SMALL.maxContext], 6);
    if (sequence === undefined) throw new Error("no sequence");
    const before = network.forward([sequence]);
    for (const place of [0, 1, 31, 32, 40, SMALL.maxContext - 1]) {
      const tokens = sequence.tokens.slice();
      tokens[place] = ((tokens[place] ?? 0) + 1) % SMALL.vocabSize;
      const after = network.forward([{ ...sequence, tokens }]);
      expect(Array.from(after.subarray(0, place))).toEqual(Array.from(before.subarray(0, place)));
      expect(after[place]).not.toBe(before[place]);
    }
  });

  it("with a fresh adapter, whose B is zero, is the base model bit for bit", async () => {
    const sequences = randomSequences(SMALL, ODD_LENGTHS, 7);
    const base = new Network(await smallWeights(), { kind: "full" }, ROWS);
    const network = new Network(await smallWeights(), { kind: "lora", largest: RANK_8 }, ROWS);
    const fresh = randomAdapter(RANK_8, 8);
    for (const layer of RANK_8.layers) {
      for (const projection of PROJECTIONS) {
        const { b } = layer[projection];
        fresh.fill(0, b.offset, b.offset + b.rows * b.columns);
      }
    }
    network.linear.setAdapter(RANK_8, fresh);
    expect(Array.from(network.forward(sequences))).toEqual(Array.from(base.forward(sequences)));
  });

  it("gives probabilities that sum to 1", async () => {
    const network = await trainedNetwork();
    const [sequence] = randomSequences(SMALL, [9], 9);
    if (sequence === undefined) throw new Error("no sequence");
    const masses = new Float64Array(9);
    for (let id = 0; id < SMALL.vocabSize; id++) {
      const logprobs = network.forward([{ ...sequence, targets: new Int32Array(9).fill(id) }]);
      for (const [i, logprob] of logprobs.entries())
        masses[i] = (masses[i] ?? 0) + Math.exp(logprob);
    }
    for (const mass of masses) expect(mass).toBeCloseTo(1, 5);
  });
});
