import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { areUsable, Ledger } from "../../../src/core/rollout/ledger.ts";
import { decodeGroup, encodeRollout } from "../../../src/core/training/generation/groupFile.ts";
import { aGroup, sourcesOf } from "../training/builders.ts";

describe("a ledger", () => {
  it("stores source, turn, mask, and log-prob for every token", () => {
    const ledger = new Ledger([1, 2]);
    ledger.addTurn([5], [-0.5]);
    ledger.addContext([9], [7]);
    ledger.addTurn([6], [-0.25]);
    expect([...ledger.tokens]).toEqual([1, 2, 5, 9, 7, 6]);
    expect(sourcesOf(ledger)).toEqual([
      ...["prompt", "prompt"],
      ...["sampled", "closing", "delta", "sampled"],
    ]);
    expect([...ledger.turns]).toEqual([-1, -1, 0, 0, 0, 1]);
    expect([...ledger.mask]).toEqual([0, 0, 1, 0, 0, 1]);
    expect([...ledger.logprobs]).toEqual([0, 0, -0.5, 0, 0, -0.25]);
    expect([ledger.length, ledger.turnCount]).toEqual([6, 2]);
  });

  it("records a turn without log-probs as context", () => {
    const ledger = new Ledger([1]);
    ledger.addTurn([5, 6], null);
    expect(sourcesOf(ledger)).toEqual(["prompt", "sampled", "sampled"]);
    expect([...ledger.mask]).toEqual([0, 0, 0]);
    expect(ledger.turnCount).toBe(1);
  });

  it("rejects log-probs that cannot be trained on", () => {
    const ledger = new Ledger([1]);
    expect(() => ledger.addTurn([5, 6], [-0.5])).toThrow(
      expect.objectContaining({ code: "invariant" }),
    );
  });

  it("only grows: every state is a prefix of the next", () => {
    const pieces = fc.array(fc.array(fc.nat(511), { maxLength: 5 }), { maxLength: 8 });
    fc.assert(
      fc.property(pieces, (parts) => {
        const ledger = new Ledger([1]);
        for (const part of parts) {
          const before = ledger.tokens;
          ledger.addTurn(
            part,
            part.map(() => -1),
          );
          ledger.addContext(part, part);
          expect([...ledger.tokens]).toEqual([...before, ...part, ...part, ...part]);
        }
      }),
    );
  });
});

describe("log-probs", () => {
  const tokens = (count: number) => Array.from({ length: count }, (_, i) => i);
  const zeros = (count: number) => tokens(count).map(() => 0);

  it.each<[string, readonly number[] | null, boolean]>([
    ["one per token", [-0.5, -2], true],
    ["zeros for two tokens", [0, 0], true],
    ["a rounding error above zero", [1e-4, -1], true],
    ["none", null, false],
    ["too few", [-0.5], false],
    ["too many", [-0.5, -0.5, -0.5], false],
    ["one above zero", [0.01, -1], false],
    ["one that is no number", [Number.NaN, -1], false],
    ["one without bound", [Number.NEGATIVE_INFINITY, -1], false],
  ])("%s: %j can be trained on: %s", (_name, logprobs, expected) => {
    expect(areUsable(tokens(2), logprobs)).toBe(expected);
  });

  it("count as never computed if there are eight or more, all exactly zero", () => {
    expect(areUsable(tokens(7), zeros(7))).toBe(true);
    expect(areUsable(tokens(8), zeros(8))).toBe(false);
    expect(areUsable(tokens(8), [...zeros(7), -0.01])).toBe(true);
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Total bytes of all typed arrays created during `work`. */
function bytesMade(work: () => void): number {
  let bytes = 0;
  const counted = <Arrays extends typeof Int32Array | typeof Float32Array>(arrays: Arrays) =>
    new Proxy(arrays, {
      construct: (target, args, newTarget) => {
        const made: Int32Array | Float32Array = Reflect.construct(target, args, newTarget);
        if (!(args[0] instanceof ArrayBuffer)) bytes += made.byteLength;
        return made;
      },
    });
  vi.stubGlobal("Int32Array", counted(Int32Array));
  vi.stubGlobal("Float32Array", counted(Float32Array));
  work();
  vi.unstubAllGlobals();
  return bytes;
}

it("a ledger grows without copying what it has", () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => i);
  const ledger = new Ledger([]);
  const made = bytesMade(() => {
    for (let turn = 0; turn < 10; turn++) {
      ledger.addTurn(ids(1_000), new Array<number>(1_000).fill(-0.5));
      ledger.addContext([1], ids(20));
    }
  });
  expect(made / ledger.length).toBeLessThan(9);
  expect([...ledger.slice(999, 1_023)]).toEqual([999, 1, ...ids(20), 0, 1]);
  expect([...ledger.slice(0, 0), ...ledger.slice(ledger.length)]).toEqual([]);
  expect([...ledger.slice()]).toEqual([...ledger.tokens]);
  expect([...ledger.slice(999, 1_023)]).toEqual([...ledger.tokens.subarray(999, 1_023)]);
  expect([...ledger.logprobs.subarray(999, 1_022)]).toEqual([
    -0.5,
    ...new Array<number>(21).fill(0),
    -0.5,
  ]);
});

const TURNS = 40;

/** 10,000 tokens in many turns, so that it grows often. */
function longLedger(): Ledger {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => i);
  const ledger = new Ledger(ids(400));
  for (let turn = 0; turn < TURNS; turn += 1) {
    ledger.addTurn(ids(200), new Array<number>(200).fill(-0.1));
    ledger.addContext([1], ids(39));
  }
  return ledger;
}

/** Bytes that the ledger stores per token; everything else is computed on request. */
function bytesPerToken(ledger: Ledger): number {
  const buffers = (): readonly ArrayBufferLike[] =>
    [ledger.tokens, ledger.logprobs, ledger.mask, ledger.sources, ledger.turns].map(
      ({ buffer }) => buffer,
    );
  const again = new Set(buffers());
  const held = buffers()
    .filter((buffer) => again.has(buffer))
    .map(({ byteLength }) => byteLength);
  return held.reduce((sum, bytes) => sum + bytes, 0) / ledger.length;
}

it("a ledger takes a few bytes per token, both when played and when read from a file", () => {
  const ledger = longLedger();
  expect(ledger.length).toBe(10_000);
  expect(bytesPerToken(ledger)).toBeLessThan(9);
  const [rollout] = aGroup([1]);
  if (rollout === undefined) throw new Error("the group has a rollout");
  const [read] = decodeGroup(encodeRollout({ ...rollout, streams: [ledger] })) ?? [];
  const [restored] = read?.streams ?? [];
  if (restored === undefined) throw new Error("the group cannot be read");
  expect([...restored.logprobs]).toEqual([...ledger.logprobs]);
  expect(bytesPerToken(restored)).toBeLessThan(9);
});
