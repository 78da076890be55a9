import { describe, expect, it } from "vitest";
import {
  suggestedPlace,
  suggestionEdits,
} from "../../../../../src/core/config/editing/edits/suggestion.ts";
import { applyEdits } from "../../../../../src/core/config/editing/text/textEdit.ts";
import { textWith } from "../../configText.ts";

/** The text with the settings applied, or null when they cannot be placed in it. */
function changed(
  text: string,
  settings: readonly (readonly [string, unknown])[],
  stage: string | null = null,
): string | null {
  const suggested = settings.map(([path, value]) => ({
    path: path.split(" "),
    value: value as number | boolean,
  }));
  const edits = suggestionEdits(text, suggested, { path: "tinker-config.yaml", stage });
  return edits === null ? null : applyEdits(text, edits);
}

describe("a run's suggestion", () => {
  it("changes existing values and adds missing ones in one edit", () => {
    const text = textWith("max_response_tokens: 48 # short", "seed: 1");
    const result = changed(text, [
      ["max_response_tokens", 96],
      ["max_total_tokens", 200],
      ["num_substeps", 2],
      ["environments Owner/Game temperature", 0.5],
    ]);
    expect(result).toContain("max_response_tokens: 96 # short\nseed: 1\n");
    expect(result).toMatch(/^max_total_tokens: 200$/m);
    expect(result).toMatch(/^num_substeps: 2$/m);
    expect(result).toMatch(/^ +temperature: 0.5$/m);
  });

  it("changes nothing when the file already has the value, explicitly or by default", () => {
    const text = textWith("max_response_tokens: 96");
    expect(changed(text, [["max_response_tokens", 96]])).toBe(text);
    expect(changed(text, [["environments Owner/Game temperature", 1]])).toBe(text);
  });

  it("cannot be applied to a text that cannot be read", () => {
    expect(changed("a: [1,", [["seed", 1]])).toBeNull();
  });

  it("applies to the chosen stage, so that the others keep their values", () => {
    const lines = ["stages:", "  one: { max_steps: 3 }", "  two: { learning_rate: 7.0e-4 }"];
    const text = textWith("learning_rate: 2.0e-3", "stage: two", ...lines);
    const result = changed(text, [
      ["learning_rate", 3e-4],
      ["seed", 1],
    ]);
    expect(result).toContain("\nlearning_rate: 2.0e-3\n");
    expect(result).toContain("two: { learning_rate: 3e-4, seed: 1 }");
    const first = text.replace("max_steps: 3", "max_steps: 3, learning_rate: 1.0e-3");
    expect(changed(first, [["learning_rate", 3e-4]], "one")).toContain(
      "one: { max_steps: 3, learning_rate: 3e-4 }\n  two: { learning_rate: 7.0e-4 }",
    );
  });
});

it("a setting is located in the stage of the run", () => {
  const text = textWith("learning_rate: 2.0e-3", "stages:", "  one: { learning_rate: 1.0e-3 }");
  const options = { path: "tinker-config.yaml", stage: "one" };
  expect(suggestedPlace(text, ["learning_rate"], options)).toEqual([
    ...["stages", "one"],
    "learning_rate",
  ]);
  expect(suggestedPlace(text, ["seed"], options)).toEqual(["seed"]);
});
