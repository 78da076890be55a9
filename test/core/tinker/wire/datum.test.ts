import { describe, expect, it } from "vitest";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import { chunkData, type Datum, toWireData } from "../../../../src/core/tinker/wire/datum.ts";
import { toWireDatum } from "../../../../src/core/training/update/datums.ts";
import { aPng } from "../../images/someImages.ts";
import { aDatum as aTrainingDatum } from "../../training/builders.ts";

const training = { forwardOnly: false };

function aDatum(lossInputs: Datum["lossInputs"] = {}, tokens = [5, 6]): Datum {
  const advantages = tokens.map(() => 1);
  const targets = tokens.map((token) => token + 1);
  return {
    tokens,
    lossInputs: {
      target_tokens: targets,
      logprobs: advantages.map(() => -0.5),
      advantages,
      ...lossInputs,
    },
  };
}

describe("training data", () => {
  it("becomes integers for targets and floats for everything else", () => {
    const [datum] = toWireData([aDatum()], "ppo", training);
    expect(datum).toEqual({
      tokens: Int32Array.of(5, 6),
      lossInputs: {
        target_tokens: { values: Int32Array.of(6, 7), shape: [2] },
        logprobs: { values: Float32Array.of(-0.5, -0.5), shape: [2] },
        advantages: { values: Float32Array.of(1, 1), shape: [2] },
      },
    });
  });

  it("is copied only from lists: typed arrays are sent as they are", () => {
    const advantages = Float32Array.of(1, 1);
    const [datum] = toWireData([aDatum({ advantages, logprobs: [-1, -2] })], "ppo", training);
    expect(datum?.lossInputs["advantages"]?.values).toBe(advantages);
    expect(datum?.lossInputs["logprobs"]?.values).toEqual(Float32Array.of(-1, -2));
  });

  it.each<[string, Datum, RegExp]>([
    [
      "arrays of another length",
      aDatum({ logprobs: [0] }),
      /logprobs of datum 1 has 1 values for 2/,
    ],
    ["numbers that are not finite", aDatum({ advantages: [0, Number.NaN] }), /datum 1 is NaN/],
    ["numbers beyond float32", aDatum({ advantages: [0, 1e39] }), /is 1e\+39 at position 1/],
    ["ids beyond int32", aDatum({ target_tokens: [1, 2 ** 31] }), /2147483648 at position 1/],
    ["fractions as ids", aDatum({ target_tokens: [1, 2.5] }), /not an id/],
    ["inputs that the loss does not read", aDatum({ mask: [1, 1] }), /ppo reads target_tokens, /],
    ["no tokens", aDatum({}, []), /datum 1 has no tokens/],
  ])("with %s is refused", (_name, datum, text) => {
    expect(() => toWireData([aDatum(), datum], "ppo", training)).toThrow(text);
  });

  it("without any effect is refused, unless only the log-probs are requested", () => {
    const idle = [aDatum({ advantages: [0, 0] })];
    expect(() => toWireData(idle, "ppo", training)).toThrow(/only zero weights or advantages/);
    expect(toWireData(idle, "ppo", { forwardOnly: true })).toHaveLength(1);
    expect(toWireData([...idle, aDatum()], "ppo", training)).toHaveLength(2);
  });

  it("must not be empty", () => {
    expect(() => toWireData([], "ppo", training)).toThrow(/no datum/);
  });

  it("is split by count and by bytes, with an oversize datum alone", () => {
    const long = Array.from({ length: 20 }, (_, i) => i);
    const data = toWireData(
      [aDatum(), aDatum({}, long), aDatum(), aDatum(), aDatum()],
      "ppo",
      training,
    );
    // A datum of two tokens counts 4·2 + 8·2 + 2·4·2 = 40 bytes.
    const chunks = chunkData(data, { maxDatums: 2, maxBytes: 80 });
    expect(chunks.map((chunk) => chunk.map((datum) => datum.tokens.length))).toEqual([
      [2],
      [20],
      [2, 2],
      [2],
    ]);
  });
});

it("an image counts toward a datum's size only with the bytes of its file", () => {
  const image = aPng(224, 224, "x".repeat(76));
  expect(image.bytes.length).toBe(100);
  const tokens = [1, ...Array<number>(64).fill(-1), 2];
  const zeros = tokens.map(() => 0);
  const lossInputs = { target_tokens: zeros, logprobs: zeros, advantages: tokens.map(() => 1) };
  const data = toWireData(
    [0, 1].map(() => ({ tokens, images: [image], lossInputs })),
    "ppo",
    {
      forwardOnly: false,
    },
  );
  const size = 2 * 4 + 100 + 66 * (8 + 4 + 4);
  const requests = (maxBytes: number) => chunkData(data, { maxDatums: 9, maxBytes }).length;
  expect([requests(2 * size), requests(2 * size - 1)]).toEqual([1, 2]);
});

it("a datum is sent from the arrays of its ledger, without a copy", () => {
  const ledger = new Ledger([1, 2]);
  ledger.addTurn([3, 4], [-0.1, -0.2]);
  const made = aTrainingDatum({ ledger });
  const datum = { ...made, advantages: made.advantages };
  const [sent] = toWireData([toWireDatum(datum, "ppo")], "ppo", { forwardOnly: false });
  expect(sent?.tokens.buffer).toBe(ledger.tokens.buffer);
  expect(sent?.lossInputs["target_tokens"]?.values.buffer).toBe(ledger.tokens.buffer);
  expect(sent?.lossInputs["logprobs"]?.values.buffer).toBe(ledger.logprobs.buffer);
  expect(sent?.lossInputs["advantages"]?.values).toBe(datum.advantages);
});
