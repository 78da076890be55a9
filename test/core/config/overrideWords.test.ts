import { expect, it } from "vitest";
import { splitValues, splitWords } from "../../../src/core/config/overrideWords.ts";

it.each([
  ["a=1  b=2 ", ["a=1", "b=2"]],
  ["temperatures=[0, 1] seed=7", ["temperatures=[0, 1]", "seed=7"]],
  [`environments."a/b c".num_rollouts=8`, [`environments."a/b c".num_rollouts=8`]],
  ["name='two words' x={a: 1, b: 2}", ["name='two words'", "x={a: 1, b: 2}"]],
  ["splits={train: {}, test: {n: [1, 2]}} b=1", ["splits={train: {}, test: {n: [1, 2]}}", "b=1"]],
  ["name=[it's, a list] b=1", ["name=[it's, a list]", "b=1"]],
  ["open={a: 1, b=1", ["open={a: 1, b=1"]],
  ["stray=x] b=1", ["stray=x]", "b=1"]],
  ["", []],
])("%j is split into %j", (text, words) => {
  expect(splitWords(text)).toEqual(words);
});

it.each([
  ["1e-5,4e-5", ["1e-5", "4e-5"]],
  [" a , b ", ["a", "b"]],
  ["[0, 1],[[2,3]]", ["[0, 1]", "[[2,3]]"]],
  ["{a: 1, b: 2},null", ["{a: 1, b: 2}", "null"]],
  [`"a,b",'c,d'`, [`"a,b"`, "'c,d'"]],
  ["don't,do", ["don't", "do"]],
  ["1,", ["1", ""]],
])("the values of %s are read", (text, values) => {
  expect(splitValues(text)).toEqual(values);
});
