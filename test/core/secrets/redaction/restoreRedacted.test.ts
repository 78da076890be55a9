import { expect, it } from "vitest";
import { restoreRedacted } from "../../../../src/core/secrets/redaction/restoreRedacted.ts";

it("a redacted text is restored from its original", () => {
  const plain = { prompt: "Use sk-1 and sk-2 now.", list: [{ name: "sk-1" }], count: 1 };
  const cleaned = { prompt: "Use *** and *** now.", list: [{ name: "***" }], count: 1 };
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
