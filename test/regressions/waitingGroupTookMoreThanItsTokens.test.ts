import { expect, it } from "vitest";
import { Ledger } from "../../src/core/rollout/ledger.ts";
import { decodeGroup, encodeRollout } from "../../src/core/training/generation/groupFile.ts";
import { concatBytes } from "../../src/core/util/concatBytes.ts";
import { aGroup } from "../core/training/builders.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

function longLedger(): Ledger {
  const ledger = new Ledger(numbers(300));
  ledger.addTurn(numbers(5_000), new Array<number>(5_000).fill(-0.25));
  ledger.addContext([7], numbers(99));
  ledger.addTurn(numbers(4_600), null);
  return ledger;
}

it("stores of a group that waits what was sampled, where columns that training fills made it twice as long", () => {
  const ledgers = [longLedger(), longLedger()];
  const group = aGroup([1, 0]).map((rollout) => ({ ...rollout, streams: ledgers }));
  const bytes = concatBytes(group.map(encodeRollout));
  const without = concatBytes(group.map((rollout) => encodeRollout({ ...rollout, streams: [] })));
  expect((bytes.length - without.length) / (4 * 10_000)).toBeLessThan(8.1);
  const streams = decodeGroup(bytes)?.flatMap((rollout) => rollout.streams) ?? [];
  expect(streams).toHaveLength(4);
  const values = ({ tokens, logprobs, mask, sources, turns, turnCount }: Ledger) => {
    return { tokens, logprobs, mask, sources, turns, turnCount };
  };
  for (const [i, ledger] of streams.entries()) {
    expect(values(ledger)).toEqual(values(ledgers[i % 2] ?? ledger));
  }
});
