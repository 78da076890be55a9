import { expect, it } from "vitest";
import { plainSnippet } from "../../src/server/protocolTypes.ts";

it.each([
  ["learning_rate: §{1:4e-5}§0", "learning_rate: 4e-5"],
  ["loss_fn: §{1|ppo,cispo|}", "loss_fn: ppo"],
  ["a: \\§HOME\\}", "a: §HOME}"],
  ["a:\n  §{1:b\\}c}: §2", "a:\n  b}c: "],
])("turns %j, with § for a dollar sign, into the inserted text", (snippet, text) => {
  const dollars = (written: string) => written.replaceAll("§", "$");
  expect(plainSnippet(dollars(snippet))).toBe(dollars(text));
});
