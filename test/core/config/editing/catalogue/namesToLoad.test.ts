import { describe, expect, it } from "vitest";
import { namesToLoad } from "../../../../../src/core/config/editing/catalogue/namesToLoad.ts";

/** The lists that are loaded for the cursor position marked by `|`. */
function listsAt(marked: string): readonly string[] {
  const offset = marked.indexOf("|");
  return namesToLoad(marked.replace("|", ""), offset, { path: "a.yaml" });
}

describe("lists from services are loaded", () => {
  it.each([
    ["model_name: |", ["models"]],
    ["model_name: Qw|\nseed: 1", ["models"]],
    ["tokenizer_name: |", ["models"]],
    ["resume_from: |", ["checkpoints"]],
    ["init_from: tinker|", ["checkpoints"]],
    ["environments:\n  |", ["environments"]],
    ["evaluation:\n  splits:\n    Own|", ["environments"]],
  ])("at a position for one of their names: %j", (text, kinds) => {
    expect(listsAt(text)).toEqual(kinds);
  });

  it.each([
    ["|"],
    ["learning_rate: |"],
    ["environments:\n  Owner/Name:\n    splits:\n      |"],
    ["# model_name: |"],
  ])("at no other position: %j", (text) => {
    expect(listsAt(text)).toEqual([]);
  });

  it("without environments when the model is local", () => {
    expect(listsAt("model_name: local/tiny-tool\nenvironments:\n  |")).toEqual([]);
  });
});
