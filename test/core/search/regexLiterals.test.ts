import { expect, it } from "vitest";
import { requiredLiterals } from "../../../src/core/search/regexLiterals.ts";

it.each([
  ["reward", ["reward"]],
  ["tool.*error", ["tool", "error"]],
  ["colou?r", ["colo", "r"]],
  ["ab{2}c", ["a", "c"]],
  ['\\{"path":', ['{"path":']],
  ['{"path"', ['{"path"']],
  ["a+bc", ["a", "bc"]],
  ["(?:no|yes) answer", [" answer"]],
  ["x(a(b)c)?y[)(]z", ["x", "y", "z"]],
  ["[^]]ab", ["]ab"]],
  ["\\d+ apples\\.", [" apples."]],
  ["^end$", ["end"]],
  ["left|right", []],
  ["\\x41bc", []],
  ["(a)\\1", []],
  ["😀?abc", ["abc"]],
])("of %s are %j", (source, literals) => {
  expect(requiredLiterals(source)).toEqual(literals);
  expect(new RegExp(source)).toBeInstanceOf(RegExp);
});
