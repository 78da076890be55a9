import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Ledger, type LedgerView, TOKEN_SOURCES } from "../../../../src/core/rollout/ledger.ts";
import type { SequenceSpan } from "../../../../src/core/tinker/wire/forwardBackwardProto.ts";
import {
  buildDatum,
  splitSubsteps,
  type TrainingDatum,
  toWireDatum,
} from "../../../../src/core/training/update/datums.ts";
import { aDatum, aDatumOfLength, aLedger } from "../builders.ts";

/** Two turns, each followed by a tool result. */
function twoTurns(): Ledger {
  const ledger = new Ledger([10, 11, 12]);
  ledger.addTurn([20, 21, 22], [-0.5, -0.25, -0.1]);
  ledger.addContext([], [30, 31, 32, 33]);
  ledger.addTurn([40, 41], [-0.125, -0.3]);
  ledger.addContext([], [50, 51]);
  return ledger;
}

const SAMPLED = new Uint8Array(6).fill(TOKEN_SOURCES.indexOf("sampled"));
const floats = (values: readonly number[]) => [...Float32Array.from(values)];

describe("a datum", () => {
  it("predicts every token from the previous one and ends in a sampled one", () => {
    const datum = aDatum({ ledger: twoTurns(), advantage: 2 });
    expect([...datum.tokens]).toEqual([10, 11, 12, 20, 21, 22, 30, 31, 32, 33, 40]);
    expect([...datum.targets]).toEqual([11, 12, 20, 21, 22, 30, 31, 32, 33, 40, 41]);
    expect([...datum.logprobs]).toEqual(
      floats([0, 0, -0.5, -0.25, -0.1, 0, 0, 0, 0, -0.125, -0.3]),
    );
    expect([...datum.mask]).toEqual([0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1]);
    expect([...datum.advantages]).toEqual([0, 0, 2, 2, 2, 0, 0, 0, 0, 2, 2]);
  });

  it("follows the worked example of the wire format", () => {
    const ledger = new Ledger([10, 11]);
    ledger.addTurn([20, 21], [-0.3, -0.7]);
    ledger.addContext([], [12]);
    ledger.addTurn([22], [-0.1]);
    const { tokens, lossInputs } = toWireDatum(aDatum({ ledger, advantage: 2 }), "ppo");
    expect([...tokens]).toEqual([10, 11, 20, 21, 12]);
    expect(Object.keys(lossInputs)).toEqual(["target_tokens", "logprobs", "advantages"]);
    expect(lossInputs["target_tokens"]).toEqual(Int32Array.of(11, 20, 21, 12, 22));
    expect(lossInputs["logprobs"]).toEqual(Float32Array.of(0, -0.3, -0.7, 0, -0.1));
    expect(lossInputs["advantages"]).toEqual(Float32Array.of(0, 2, 2, 0, 2));
  });

  it("marks the trained tokens for gspo, whose ratio is per sequence", () => {
    const ledger = new Ledger([10, 11]);
    ledger.addTurn([20, 21], [-0.3, -0.7]);
    ledger.addContext([], [12]);
    ledger.addTurn([22], [-0.1]);
    const { lossInputs } = toWireDatum(aDatum({ ledger, advantage: 0 }), "gspo");
    expect(lossInputs["sequence_ratio_mask"]).toEqual(Float32Array.of(0, 1, 1, 0, 1));
  });

  it("says for stable_reinforce which request saw or sampled each token first", () => {
    const parts = fc.record({
      context: fc.array(fc.nat(99), { maxLength: 4 }),
      closing: fc.array(fc.nat(99), { maxLength: 2 }),
      sampled: fc.array(fc.nat(99), { maxLength: 4 }),
      isTrained: fc.boolean(),
    });
    const first = fc.array(fc.nat(99), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(first, fc.array(parts, { minLength: 1, maxLength: 5 }), (prompt, turns) => {
        const ledger = new Ledger(prompt);
        const requests = turns.map(({ context, closing, sampled, isTrained }, i) => {
          if (i > 0) ledger.addContext(closing, context);
          const asked = { prompt: [...ledger.tokens], sampled };
          ledger.addTurn(sampled, isTrained ? sampled.map(() => -0.5) : null, String(i));
          return asked;
        });
        ledger.addContext([1], [2]);
        const datum = buildDatum({ group: 0, rollout: 0, stream: 0, ledger }, [1]);
        if (datum === null) return;
        const { provenance, lossInputs } = toWireDatum(datum, "stable_reinforce");
        const named = (spans: readonly SequenceSpan[] = []) =>
          spans.flatMap(({ kind, sequenceId, offset, length }) =>
            requests[Number(sequenceId)]?.[kind].slice(offset, offset + length),
          );
        expect(named(provenance?.input)).toEqual([...datum.tokens]);
        expect(named(provenance?.targets)).toEqual([...datum.targets]);
        const isSampled = provenance?.targets.flatMap(({ kind, length }) =>
          Array.from({ length }, () => kind === "sampled"),
        );
        lossInputs["advantages"]?.forEach((advantage, i) => {
          if (advantage !== 0) expect(isSampled?.[i]).toBe(true);
        });
        expect(toWireDatum(datum, "ppo").provenance).toBeUndefined();
      }),
    );
  });

  it("cannot be made for stable_reinforce when a token's request is unknown", () => {
    const datum = aDatum({ ledger: twoTurns() });
    expect(() => toWireDatum(datum, "stable_reinforce")).toThrow(/in no sampled sequence/);
  });

  it("trains a sampled end token, but not one that was added to close a turn", () => {
    const end = 2;
    const sampledEnd = new Ledger([1]);
    sampledEnd.addTurn([7, end], [-0.5, -0.5]);
    const addedEnd = new Ledger([1]);
    addedEnd.addTurn([7], [-0.5]);
    addedEnd.addContext([end], [8]);
    expect([...aDatum({ ledger: sampledEnd }).targets]).toEqual([7, end]);
    expect([...aDatum({ ledger: addedEnd }).targets]).toEqual([7]);
  });

  it("uses a turn without usable log-probs only as context for later turns", () => {
    const ledger = new Ledger([1]);
    ledger.addTurn([4, 5], null);
    ledger.addContext([], [6]);
    ledger.addTurn([7], [-0.5]);
    ledger.addContext([], [8]);
    ledger.addTurn([9], null);
    const datum = aDatum({ ledger });
    expect([...datum.targets]).toEqual([4, 5, 6, 7]);
    expect([...datum.mask]).toEqual([0, 0, 0, 1]);
  });

  it("is null when nothing is trained", () => {
    const masked = new Ledger([1, 2]);
    masked.addTurn([4, 5], null);
    for (const ledger of [new Ledger([1, 2, 3]), new Ledger([]), masked]) {
      expect(buildDatum({ group: 0, rollout: 0, stream: 0, ledger }, [1])).toBeNull();
    }
  });

  it.each<[string, Partial<LedgerView>]>([
    ["of which an array is shorter", { logprobs: Float32Array.of(0, 0) }],
    ["that trains a token it did not sample", { mask: Uint8Array.of(0, 1, 0, 1, 1, 1) }],
    ["that trains its first token", { mask: Uint8Array.of(1, 0, 0, 1, 1, 1), sources: SAMPLED }],
    [
      "with a log-prob where nothing is trained",
      { logprobs: Float32Array.of(0, -1, 0, -0.5, -0.5, -0.5) },
    ],
  ])("is refused for a ledger %s", (_name, fault) => {
    const { tokens, logprobs, mask, sources, turns, runs } = aLedger();
    const ledger = { tokens, logprobs, mask, sources, turns, runs, ...fault };
    expect(() => buildDatum({ group: 0, rollout: 0, stream: 0, ledger }, [1])).toThrow(
      expect.objectContaining({ code: "invariant" }),
    );
  });
});

const token = fc.integer({ min: 0, max: 511 });
const sampledToken = fc.tuple(token, fc.double({ min: -20, max: 0, noNaN: true }));
/** Stays below eight tokens, because a longer turn whose log-probs are all zero counts as having none. */
const someTurns = fc.array(
  fc.record({
    sampled: fc.array(sampledToken, { maxLength: 6 }),
    isTrained: fc.boolean(),
    closing: fc.array(token, { maxLength: 2 }),
    delta: fc.array(token, { maxLength: 5 }),
  }),
  { maxLength: 5 },
);
const anyLedger = fc
  .record({ prompt: fc.array(token, { minLength: 1, maxLength: 6 }), turns: someTurns })
  .map(({ prompt, turns }) => {
    const ledger = new Ledger(prompt);
    for (const { sampled, isTrained, closing, delta } of turns) {
      const logprobs = sampled.map(([, logprob]) => logprob);
      ledger.addTurn(
        sampled.map(([id]) => id),
        isTrained ? logprobs : null,
      );
      ledger.addContext(closing, delta);
    }
    const trained = turns.flatMap(({ sampled, isTrained }) => (isTrained ? sampled : []));
    return { ledger, trained };
  });
const anyAdvantage = fc.double({ min: -3, max: 3, noNaN: true });

describe("the datum of any sequence of turns", () => {
  /** Runs `check` on random ledgers that have something to train on. */
  const eachDatum = (
    check: (
      datum: ReturnType<typeof aDatum>,
      trained: readonly (readonly [id: number, logprob: number])[],
      advantage: number,
    ) => void,
  ): void => {
    fc.assert(
      fc.property(anyLedger, anyAdvantage, ({ ledger, trained }, advantage) => {
        const datum = buildDatum({ group: 0, rollout: 0, stream: 0, ledger }, [advantage]);
        expect(datum === null).toBe(trained.length === 0);
        if (datum !== null) check(datum, trained, advantage);
      }),
    );
  };

  it("has arrays of equal length, targets one ahead of the inputs, and a trained last target", () => {
    eachDatum(({ tokens, targets, logprobs, advantages, mask, ledger }) => {
      const lengths = [targets, logprobs, advantages, mask].map((array) => array.length);
      expect(new Set(lengths)).toEqual(new Set([tokens.length]));
      expect([...tokens, targets.at(-1)]).toEqual([...ledger.tokens.slice(0, tokens.length + 1)]);
      expect(targets.slice(0, -1)).toEqual(tokens.slice(1));
      expect(mask.at(-1)).toBe(1);
    });
  });

  it("trains exactly the sampled tokens, each with the log-prob it was sampled with", () => {
    eachDatum(({ targets, logprobs, mask }, trained) => {
      const kept = [...targets].map((id, i) => [id, logprobs[i]]).filter((_, i) => mask[i] === 1);
      expect(kept).toEqual(trained.map(([id, logprob]) => [id, Math.fround(logprob)]));
    });
  });

  it("gives other tokens neither an advantage nor a log-prob", () => {
    eachDatum(({ advantages, logprobs, mask }, _trained, advantage) => {
      const expected = [...mask].map((isTrained) => isTrained * Math.fround(advantage));
      expect([...advantages].map((value, i) => value - (expected[i] ?? Number.NaN))).toEqual(
        expected.map(() => 0),
      );
      expect([...logprobs].filter((value, i) => mask[i] === 0 && value !== 0)).toEqual([]);
    });
  });
});

/** Token counts of the groups of each part; every group is one datum. */
function split(lengths: readonly number[], count: number): readonly (readonly number[])[] {
  const data = lengths.map((length, group) => aDatumOfLength(length, group));
  return splitSubsteps(data, count).map((part) => part.map(({ tokens }) => tokens.length));
}

describe("substeps", () => {
  it("hold about equal numbers of tokens", () => {
    expect(split([5, 5, 5, 5], 2)).toEqual([
      [5, 5],
      [5, 5],
    ]);
    expect(split([10, 2, 2, 2, 2, 2], 2)).toEqual([[10], [2, 2, 2, 2, 2]]);
    expect(split([5, 5, 5], 1)).toEqual([[5, 5, 5]]);
  });

  it("partition the data in order, with no empty part and no group split", () => {
    const groups = fc.array(
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(groups, fc.integer({ min: 1, max: 6 }), (lengths, count) => {
        const data = lengths.flatMap((group, g) =>
          group.map((length, rollout) => aDatumOfLength(length, g, rollout)),
        );
        const parts = splitSubsteps(data, count);
        expect(parts.flat()).toEqual(data);
        expect(parts.length).toBeLessThanOrEqual(count);
        expect(parts.every((part) => part.length > 0)).toBe(true);
        const groupsOfParts = parts.map((part) => new Set(part.map((datum) => datum.group)));
        const total = groupsOfParts.reduce((sum, names) => sum + names.size, 0);
        expect(total).toBe(lengths.length);
      }),
    );
  });
});

const TURN = 10_000;
const ledger = new Ledger([1, 2, 3]);

ledger.addTurn(
  Array.from({ length: TURN }, (_, i) => i),
  new Array<number>(TURN).fill(-0.5),
);

/** Bytes that a datum holds besides its ledger, in buffers that it does not create anew for each access. */
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

// Each token used to hold the advantage of its rollout until the step was recorded: 20 MiB for 512 rollouts of 10,000 tokens.
it("a datum holds its advantage once, not once per token", () => {
  const datum = buildDatum({ group: 0, rollout: 0, stream: 0, ledger }, [-0.25]);
  if (datum === null) throw new Error("the ledger has a trained token");
  expect(heldBytes(datum) / TURN).toBeLessThan(1.1);
  const { advantages } = toWireDatum(datum, "ppo", 0.5).lossInputs;
  expect(advantages).toEqual(Float32Array.from(datum.mask, (is) => (is === 1 ? -0.125 : 0)));
  expect(datum.advantages).toHaveLength(TURN + 2);
});

it("long groups among short ones leave no update empty", () => {
  expect(split([1000, 1, 1, 1], 4)).toEqual([[1000], [1], [1], [1]]);
  expect(split([1, 1, 1, 1000], 4)).toEqual([[1], [1], [1], [1000]]);
  // A third of the total is 538; half of the remainder is 356, and the middle of the 700 lies at 357.
  expect(split([2, 900, 3, 4, 700, 5], 3)).toEqual([
    [2, 900],
    [3, 4],
    [700, 5],
  ]);
});

it("the rest after a long group is divided evenly", () => {
  expect(split([1000, 1, 1, 1, 1, 1, 1], 3)).toEqual([[1000], [1, 1, 1], [1, 1, 1]]);
});

/** Lognormal lengths, by the Box-Muller transform. */
const lognormal = fc
  .tuple(fc.double({ min: 1e-6, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([u, v]) => {
    const normal = Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
    return Math.min(2_000, Math.max(1, Math.round(Math.exp(3 + 1.5 * normal))));
  });

it("any lengths give num_substeps updates if there are enough groups", () => {
  fc.assert(
    fc.property(
      fc.array(lognormal, { minLength: 1, maxLength: 16 }),
      fc.integer({ min: 1, max: 8 }),
      (lengths, count) => {
        const parts = split(lengths, count);
        expect(parts.flat()).toEqual(lengths);
        expect(parts).toHaveLength(Math.min(count, lengths.length));
        expect(parts.every((part) => part.length > 0)).toBe(true);
        const total = lengths.reduce((sum, length) => sum + length, 0);
        const largest = Math.max(...parts.map((part) => part.reduce((sum, n) => sum + n, 0)));
        // Nothing is lumped together: no part exceeds its share by more than one group.
        expect(largest).toBeLessThanOrEqual(total / parts.length + Math.max(...lengths));
      },
    ),
  );
});
