import { expect, it } from "vitest";
import { splitWords } from "../../../src/core/config/overrideWords.ts";

it.each([
  ["a=1  b=2 ", ["a=1", "b=2"]],
  ["temperatures=[0, 1] seed=7", ["temperatures=[0, 1]", "seed=7"]],
  [`environments."a/b c".num_rollouts=8`, [`environments."a/b c".num_rollouts=8`]],
  ["name='two words' x={a: 1, b: 2}", ["name='two words'", "x={a: 1, b: 2}"]],
  ["", []],
])("%j has the words %j", (text, words) => {
  expect(splitWords(text)).toEqual(words);
});
