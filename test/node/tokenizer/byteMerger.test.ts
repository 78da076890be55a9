import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteMerger } from "../../../src/node/tokenizer/byteMerger.ts";
import { createMergeTable, MAX_RANKS, type Merge } from "../../../src/node/tokenizer/mergeTable.ts";

const BYTE_IDS = Int32Array.from({ length: 256 }, (_, byte) => byte);

/** Searches for the best pair again after every merge. */
function mergeSlowly(bytes: readonly number[], merges: readonly Merge[]): readonly number[] {
  let ids = [...bytes];
  for (;;) {
    const pairs = ids.flatMap((left, at) => {
      const merge = merges.find((each) => each.left === left && each.right === ids[at + 1]);
      return merge === undefined ? [] : [{ at, ...merge }];
    });
    const [best] = pairs.toSorted((a, b) => a.rank - b.rank || a.at - b.at);
    if (best === undefined) return ids;
    ids = ids.toSpliced(best.at, 2, best.merged);
  }
}

/** Merges of three bytes and of their results in random order, some of them unreachable. */
const someMerges = fc
  .array(fc.tuple(fc.nat(), fc.nat(), fc.nat(MAX_RANKS / 32 - 1)), { maxLength: 30 })
  .map((drawn) => {
    const merges = new Map<string, Merge>();
    for (const [first, second, rank] of drawn) {
      const known = [0, 1, 2, ...Array.from(merges.values(), ({ merged }) => merged)];
      const left = known[first % known.length] ?? 0;
      const right = known[second % known.length] ?? 0;
      const merged = 1_000 + merges.size;
      const key = `${left} ${right}`;
      if (!merges.has(key)) merges.set(key, { left, right, merged, rank: rank * 31 + merges.size });
    }
    return Array.from(merges.values());
  });

it("merges every piece like a search for the best pair", () => {
  const pieces = fc.array(fc.array(fc.nat(2), { maxLength: 300 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(someMerges, pieces, (merges, all) => {
      const merger = new ByteMerger(BYTE_IDS, createMergeTable(merges));
      for (const bytes of all) {
        expect(merger.merge(Uint8Array.from(bytes))).toEqual(mergeSlowly(bytes, merges));
      }
    }),
  );
});
