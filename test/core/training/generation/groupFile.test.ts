import { describe, expect, it } from "vitest";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import type { FinishedRollout } from "../../../../src/core/rollout/rollout.ts";
import { decodeGroup, encodeRollout } from "../../../../src/core/training/generation/groupFile.ts";
import { scoreGroups } from "../../../../src/core/training/update/groups.ts";
import { concatBytes } from "../../../../src/core/util/concatBytes.ts";
import { aConfig, aGroup } from "../builders.ts";

const encodeGroup = (rollouts: readonly FinishedRollout[]): Uint8Array =>
  concatBytes(rollouts.map(encodeRollout));

describe("a group stored on disk until its step", () => {
  const group = aGroup([1, 0, null, 0.25], { step: 3, group: 2 });

  it("is restored with everything that training and metrics need", () => {
    const back = decodeGroup(encodeGroup(group)) ?? [];
    expect(back).toHaveLength(4);
    expect(group).toMatchObject(back.map(({ streams: _, ...rest }) => rest));
    const config = aConfig({ group_failures: "reference", zero_variance: "keep" });
    const sent = (rollouts: typeof group) =>
      scoreGroups(
        rollouts.filter(({ record }) => record.reward !== null),
        config,
      ).flatMap((scored) =>
        scored.rollouts.flatMap(({ data }) =>
          data.map(({ tokens, targets, logprobs, advantages, mask }) => ({
            tokens,
            targets,
            logprobs,
            advantages,
            mask,
          })),
        ),
      );
    expect(sent(back)).toEqual(sent(group));
    expect(sent(back)).toHaveLength(3);
  });

  it("is restored with teacher prompts for the streams that have one", () => {
    const streamOf = (taught?: readonly number[]): Ledger => {
      const ledger = new Ledger([1, 2, 3], 0, taught);
      ledger.addTurn([4, 5], [-0.5, -1]);
      return ledger;
    };
    const rollouts = group.slice(0, 2).map((rollout, i) => {
      return { ...rollout, streams: [streamOf([1, 2, 7 + i, 3]), streamOf(), streamOf([9])] };
    });
    const back = decodeGroup(encodeGroup(rollouts)) ?? [];
    const read = (of: typeof rollouts) =>
      of.map(({ streams }) =>
        streams.map(({ tokens, taughtPrompt }) => [[...tokens], taughtPrompt && [...taughtPrompt]]),
      );
    expect(read(back.map((one) => ({ ...one, streams: one.streams as Ledger[] })))).toEqual(
      read(rollouts),
    );
  });

  it("is restored in rollout order, whatever order they ended in", () => {
    const back = decodeGroup(encodeGroup(group.toReversed())) ?? [];
    expect(back.map(({ record }) => record.rollout)).toEqual([0, 1, 2, 3]);
    expect(back).toEqual(decodeGroup(encodeGroup(group)));
  });

  it.each([
    ["cut off", (bytes: Uint8Array) => bytes.slice(0, -8)],
    ["empty", () => new Uint8Array()],
    ["without its lines", (bytes: Uint8Array) => bytes.slice(0, 40)],
    ["of another kind", () => new TextEncoder().encode("\0\0\0\0{}")],
  ])("is not read when its file is %s", (_, damage) => {
    const back = decodeGroup(damage(encodeGroup(group)));
    expect(back === null || back.length === 0).toBe(true);
  });
});

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

function longLedger(): Ledger {
  const ledger = new Ledger(numbers(300));
  ledger.addTurn(numbers(5_000), new Array<number>(5_000).fill(-0.25));
  ledger.addContext([7], numbers(99));
  ledger.addTurn(numbers(4_600), null);
  return ledger;
}

it("a stored group takes eight bytes per token", () => {
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
