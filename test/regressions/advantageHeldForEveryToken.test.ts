import { expect, it } from "vitest";
import { Ledger } from "../../src/core/rollout/ledger.ts";
import {
  buildDatum,
  type TrainingDatum,
  toWireDatum,
} from "../../src/core/training/update/datums.ts";

const TURN = 10_000;
const ledger = new Ledger([1, 2, 3]);
ledger.addTurn(
  Array.from({ length: TURN }, (_, i) => i),
  new Array<number>(TURN).fill(-0.5),
);

/** Bytes that a datum holds beside its ledger: buffers that are still the same when they are asked for again. */
function heldBytes(datum: TrainingDatum): number {
  const buffers = () =>
    [datum.tokens, datum.targets, datum.logprobs, datum.advantages, datum.mask].map(
      ({ buffer }) => buffer,
    );
  const again = new Set(buffers());
  const ofLedger = new Set([ledger.tokens.buffer, ledger.logprobs.buffer]);
  const held = new Set(buffers().filter((buffer) => again.has(buffer) && !ofLedger.has(buffer)));
  return [...held].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

// The advantage of a rollout stood beside each of its tokens until the step was recorded: 20 MiB for 512 rollouts of 10,000.
it("holds the advantage of a rollout once, and not for each of its tokens", () => {
  const datum = buildDatum({ group: 0, rollout: 0, stream: 0, ledger }, -0.25);
  if (datum === null) throw new Error("the ledger has a trained token");
  expect(heldBytes(datum) / TURN).toBeLessThan(1.1);
  const { advantages } = toWireDatum(datum, "ppo", 0.5).lossInputs;
  expect(advantages).toEqual(Float32Array.from(datum.mask, (factor) => factor * -0.25 * 0.5));
  expect(datum.advantages).toHaveLength(TURN + 2);
});
