import { expect, it } from "vitest";
import { tooFastGrowth } from "./growth.ts";

/** Adds up numbers, so that no compiler leaves the loop out. */
function loop(turns: number): () => number {
  return () => {
    let sum = 0;
    for (let turn = 0; turn < turns; turn += 1) sum = (sum + turn) % 1_000_003;
    return sum;
  };
}

it("time that grows with the square of a text is too much, and with n log n is not", () => {
  expect(tooFastGrowth((characters) => loop(characters ** 2 / 20))).not.toBeNull();
  expect(tooFastGrowth((characters) => loop(20 * characters * Math.log2(characters)))).toBeNull();
  expect(tooFastGrowth((characters) => loop(100 * characters))).toBeNull();
});
