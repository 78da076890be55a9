import { expect, it } from "vitest";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import { toTokenRecord } from "../../../../src/core/training/update/tokenRecords.ts";
import { aDatum } from "../builders.ts";

/** Prompt 1, 2, one trained token, and a tool result with no turn after it. */
function aDatumWithTail() {
  const ledger = new Ledger([1, 2]);
  ledger.addTurn([5], [-0.5]);
  ledger.addContext([], [7, 8]);
  return aDatum({ group: 3, rollout: 1, ledger, advantage: 2 });
}

it("the stored token record has every value at the token it describes", () => {
  const record = toTokenRecord(aDatumWithTail(), Float32Array.of(-4, -0.25));
  expect(record).toMatchObject({
    group: 3,
    rollout: 1,
    stream: 0,
    ids: Int32Array.of(1, 2, 5, 7, 8),
    samplerLogprobs: Float32Array.of(0, 0, -0.5, 0, 0),
    advantages: Float32Array.of(0, 0, 2, 0, 0),
    turns: Int16Array.of(-1, -1, 0, 0, 0),
    mask: Uint8Array.of(0, 0, 1, 0, 0),
  });
  expect(Array.from(record.trainerLogprobs)).toEqual([
    Number.NaN,
    -4,
    -0.25,
    Number.NaN,
    Number.NaN,
  ]);
});

it("the stored token record marks unknown trainer log-probs", () => {
  const { trainerLogprobs } = toTokenRecord(aDatumWithTail(), null);
  expect(Array.from(trainerLogprobs).every(Number.isNaN)).toBe(true);
});

it("the stored token record has no log-probability for an image", () => {
  const ledger = new Ledger([1, -1, -1, 2]);
  ledger.addTurn([5], [-0.5]);
  const scored = Float32Array.of(-9, -9, -4, -0.25);
  const { trainerLogprobs } = toTokenRecord(aDatum({ ledger }), scored);
  const unknown = Number.NaN;
  expect(Array.from(trainerLogprobs)).toEqual([unknown, unknown, unknown, -4, -0.25]);
});
