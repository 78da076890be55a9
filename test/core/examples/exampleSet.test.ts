import { describe, expect, it } from "vitest";
import type { Example } from "../../../src/core/examples/example.ts";
import { createExampleSet } from "../../../src/core/examples/exampleSet.ts";
import { Ledger } from "../../../src/core/rollout/ledger.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { createUniform } from "../../../src/shared/uniform.ts";
import { aRecord } from "../runFolder/builders.ts";

function example(index: number, changes: Partial<Example> = {}): Example {
  const ledger = new Ledger([1, 2]);
  ledger.addGivenTurn([3, index], true);
  const streams = [ledger];
  const common = { source: "demos.jsonl", task: `task ${index}`, split: "train" } as const;
  return { ...common, index, streams, record: aRecord(), ...changes };
}

function setOf(examples: readonly Example[], heldOut = 0.2, seed = 1) {
  return createExampleSet(examples, { seed, heldOut, sha256 });
}

describe("the examples of a run", () => {
  it("hold out about the requested share, always the same ones", () => {
    const examples = Array.from({ length: 50 }, (_, i) => example(i));
    const { trained, heldOut, digest } = setOf(examples);
    expect([trained.length, heldOut.length]).toEqual([40, 10]);
    expect(setOf(examples)).toEqual({ trained, heldOut, digest });
    expect(setOf(examples, 0.2, 2).heldOut).not.toEqual(heldOut);
  });

  it("never have a task on both sides", () => {
    const uniform = createUniform(3);
    for (let round = 0; round < 200; round += 1) {
      const count = 2 + Math.floor(uniform() * 40);
      const tasks = 2 + Math.floor(uniform() * 10);
      const examples = Array.from({ length: count }, (_, i) =>
        example(i, { task: `task ${i < 2 ? i : Math.floor(uniform() * tasks)}` }),
      );
      const { trained, heldOut } = setOf(examples, uniform() * 0.9, round);
      const held = new Set(heldOut.map(({ task }) => task));
      expect(trained.filter(({ task }) => held.has(task))).toEqual([]);
      expect(trained.length + heldOut.length).toBe(count);
    }
  });

  it("hold out the marked ones, if there are any", () => {
    const examples = [example(0), example(1, { split: "held_out" }), example(2)];
    const { trained, heldOut } = setOf(examples, 0.5);
    expect([trained, heldOut].map((own) => own.map(({ index }) => index))).toEqual([[0, 2], [1]]);
  });

  it("hold out none if none is requested", () => {
    expect(setOf([example(0), example(1)], 0).heldOut).toEqual([]);
  });

  it("have another digest when a token or the trained part changes", () => {
    const ledger = new Ledger([1, 2]);
    ledger.addGivenTurn([3, 0], false);
    const changed = example(0, { streams: [ledger] });
    expect(setOf([changed, example(1)]).digest).not.toBe(setOf([example(0), example(1)]).digest);
  });

  it("have another digest when others are held out, if that is included", () => {
    const examples = Array.from({ length: 20 }, (_, i) => example(i));
    const others = examples.map((each) => ({ ...each, task: `other ${each.index}` }));
    const digestOf = (of: readonly Example[], digestsChoice: boolean, heldOut = 0.2): string =>
      createExampleSet(of, { seed: 1, heldOut, digestsChoice, sha256 }).digest;
    expect(digestOf(others, true)).not.toBe(digestOf(examples, true));
    expect(digestOf(examples, true)).not.toBe(setOf(examples).digest);
    expect(digestOf(others, false)).toBe(setOf(examples).digest);
    expect(digestOf(others, true, 0)).toBe(setOf(examples, 0).digest);
  });

  it("are refused when none is left to train on", () => {
    expect(() => setOf([example(0, { split: "held_out" })])).toThrow(/1 of 1 are held out/);
  });
});
