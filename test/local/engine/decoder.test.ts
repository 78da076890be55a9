import { describe, expect, it } from "vitest";
import { Decoder } from "../../../src/local/engine/decoder.ts";
import { LoraWeights } from "../../../src/local/engine/loraWeights.ts";
import { Network, type NetworkSequence } from "../../../src/local/engine/network.ts";
import type { Weights } from "../../../src/local/engine/weights.ts";
import { RANK_8, randomAdapter, randomSequences, SMALL, smallWeights } from "./testModel.ts";

const ROWS = 256;
const ADAPTER = randomAdapter(RANK_8, 2);

interface Both {
  readonly weights: Weights;
  readonly network: Network;
  readonly decoder: Decoder;
  readonly set: LoraWeights;
}

/** A training network and a decoder over the same weights and the same adapter. */
async function both(): Promise<Both> {
  const weights = await smallWeights();
  const network = new Network(weights, { kind: "lora", largest: RANK_8 }, ROWS);
  network.linear.setAdapter(RANK_8, ADAPTER);
  const decoder = new Decoder(weights, ROWS);
  const set = new LoraWeights(weights, false);
  const pointer = weights.arena.alloc(RANK_8.length);
  weights.arena.floats(pointer, RANK_8.length).set(ADAPTER);
  set.merge({ layout: RANK_8, pointer });
  return { weights, network, decoder, set };
}

/** Log-probs of a sequence's targets, its tokens appended in chunks of the given sizes (the last size repeats). */
function decode(
  { decoder, set }: Both,
  slot: number,
  sequence: NetworkSequence,
  sizes: readonly number[],
): number[] {
  const { tokens, targets } = sequence;
  const logprobs: number[] = [];
  decoder.truncate(slot, 0);
  for (let at = 0, turn = 0; at < tokens.length; turn++) {
    const piece = tokens.subarray(at, at + (sizes[turn] ?? sizes.at(-1) ?? 1));
    const rows = decoder.step(set, [{ slot, tokens: piece, wanted: piece.length }]);
    for (let i = 0; i < piece.length; i++) {
      logprobs.push(rows[i * SMALL.vocabSize + (targets[at + i] ?? 0)] ?? Number.NaN);
    }
    at += piece.length;
  }
  return logprobs;
}

describe("the decoder", () => {
  it("gives the log-probs of the training forward pass within 1e-5", async () => {
    const setup = await both();
    const sequences = randomSequences(SMALL, [1, 5, 32, 33, SMALL.maxContext], 3);
    for (const [slot, sequence] of sequences.entries()) {
      const trained = setup.network.forward([sequence]);
      const decoded = decode(setup, slot, sequence, [4, 1]);
      const largest = Math.max(
        ...decoded.map((value, i) => Math.abs(value - (trained[i] ?? Number.NaN))),
      );
      expect(largest).toBeLessThan(1e-5);
    }
  });

  it("gives the same bits however the tokens are split into steps", async () => {
    const setup = await both();
    const [sequence] = randomSequences(SMALL, [SMALL.maxContext], 4);
    if (sequence === undefined) throw new Error("no sequence");
    const atOnce = decode(setup, 0, sequence, [SMALL.maxContext]);
    expect(decode(setup, 1, sequence, [1])).toEqual(atOnce);
    expect(decode(setup, 2, sequence, [17, 1, 1, 9, 3])).toEqual(atOnce);
  });

  it("gives the same bits whatever else is in the step", async () => {
    const setup = await both();
    const { decoder, set } = setup;
    const sequences = randomSequences(SMALL, [7, 1, 33, 12], 5);
    const alone = sequences.map((sequence) => decode(setup, 0, sequence, [sequence.tokens.length]));
    const inputs = sequences.map(({ tokens }, slot) => ({ slot, tokens, wanted: tokens.length }));
    for (const { slot } of inputs) decoder.truncate(slot, 0);
    const rows = decoder.step(set, inputs);
    let row = 0;
    for (const [i, { targets }] of sequences.entries()) {
      const own = Array.from(targets, (target) => rows[row++ * SMALL.vocabSize + target]);
      expect(own).toEqual(alone[i]);
    }
  });

  it("reuses a truncated slot as if nothing had followed", async () => {
    const setup = await both();
    const { decoder, set } = setup;
    const [sequence] = randomSequences(SMALL, [30], 6);
    if (sequence === undefined) throw new Error("no sequence");
    const straight = decode(setup, 0, sequence, [30]);
    decode(setup, 1, sequence, [30]);
    decoder.truncate(1, 11);
    const tokens = sequence.tokens.subarray(11);
    const rows = decoder.step(set, [{ slot: 1, tokens, wanted: tokens.length }]);
    const again = Array.from(
      tokens,
      (_, i) => rows[i * SMALL.vocabSize + (sequence.targets[11 + i] ?? 0)],
    );
    expect(again).toEqual(straight.slice(11));
  });

  it("returns only the requested rows", async () => {
    const { decoder, set } = await both();
    const [sequence] = randomSequences(SMALL, [6], 7);
    if (sequence === undefined) throw new Error("no sequence");
    const { tokens } = sequence;
    decoder.truncate(0, 0);
    const last = Array.from(decoder.step(set, [{ slot: 0, tokens, wanted: 1 }]));
    decoder.truncate(0, 0);
    const all = Array.from(decoder.step(set, [{ slot: 0, tokens, wanted: tokens.length }]));
    expect(last).toEqual(all.slice(-SMALL.vocabSize));
  });

  it("rejects a step beyond its rows", async () => {
    const { decoder, set } = await both();
    decoder.truncate(0, 0);
    const tokens = new Int32Array(ROWS + 1);
    expect(() => decoder.step(set, [{ slot: 0, tokens, wanted: 1 }])).toThrow(
      expect.objectContaining({ code: "engine-rows" }),
    );
  });
});
