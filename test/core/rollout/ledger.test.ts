import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areUsable, Ledger } from "../../../src/core/rollout/ledger.ts";
import { sourcesOf } from "../training/builders.ts";

describe("a ledger", () => {
  it("keeps source, turn, mask and log-prob beside every token", () => {
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

  it("takes a turn without log-probs as context", () => {
    const ledger = new Ledger([1]);
    ledger.addTurn([5, 6], null);
    expect(sourcesOf(ledger)).toEqual(["prompt", "sampled", "sampled"]);
    expect([...ledger.mask]).toEqual([0, 0, 0]);
    expect(ledger.turnCount).toBe(1);
  });

  it("refuses log-probs that cannot be trained on", () => {
    const ledger = new Ledger([1]);
    expect(() => ledger.addTurn([5, 6], [-0.5])).toThrow(
      expect.objectContaining({ code: "invariant" }),
    );
  });

  it("only grows: every state is the beginning of the next", () => {
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

  it("that are eight and more exact zeros were never computed", () => {
    expect(areUsable(tokens(7), zeros(7))).toBe(true);
    expect(areUsable(tokens(8), zeros(8))).toBe(false);
    expect(areUsable(tokens(8), [...zeros(7), -0.01])).toBe(true);
  });
});
