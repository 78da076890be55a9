import { expect, it } from "vitest";
import { restoreRedacted } from "../../../../src/core/secrets/redaction/restoreRedacted.ts";

it("a redacted text is restored from its original", () => {
  const plain = { prompt: "Use sk-1 and sk-2 now.", list: [{ name: "sk-1" }], count: 1 };
  const cleaned = { prompt: "Use *** and *** now.", list: [{ name: "***" }], count: 1 };
  expect(restoreRedacted(cleaned, plain)).toEqual(plain);
});

it("a redacted number and a redacted key are restored from their originals", () => {
  const plain = { seed: 123456, environments: { "local/secret": { a: 1 }, "local/other": {} } };
  const cleaned = { seed: "***", environments: { "local/***": { a: 1 }, "local/other": {} } };
  expect(restoreRedacted(cleaned, plain)).toEqual(plain);
});

it.each([
  ["other words before it", "Take sk-1 now."],
  ["other words behind it", "Use sk-1 later."],
  ["a text that is too short for both ends", "Use now."],
  ["nothing", undefined],
])("a redacted text is not restored from %s", (_, prompt) => {
  expect(restoreRedacted({ prompt: "Use *** now." }, { prompt })).toEqual({
    prompt: "Use *** now.",
  });
});

it("text without redactions is unchanged", () => {
  expect(restoreRedacted({ prompt: "a", list: [1, null] }, { prompt: "b", list: [2] })).toEqual({
    prompt: "a",
    list: [1, null],
  });
});
