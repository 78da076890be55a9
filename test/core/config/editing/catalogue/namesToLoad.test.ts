import { describe, expect, it } from "vitest";
import { namesToLoad } from "../../../../../src/core/config/editing/catalogue/namesToLoad.ts";

/** The lists that are wanted where `|` stands. */
function wantedAt(marked: string): readonly string[] {
  const offset = marked.indexOf("|");
  return namesToLoad(marked.replace("|", ""), offset, { path: "a.yaml" });
}

describe("lists of services are wanted", () => {
  it.each([
    ["model_name: |", ["models"]],
    ["model_name: Qw|\nseed: 1", ["models"]],
    ["tokenizer_name: |", ["models"]],
    ["resume_from: |", ["checkpoints"]],
    ["init_from: tinker|", ["checkpoints"]],
    ["environments:\n  |", ["environments"]],
    ["evaluation:\n  splits:\n    Own|", ["environments"]],
  ])("where names of theirs stand: %j", (text, kinds) => {
    expect(wantedAt(text)).toEqual(kinds);
  });

  it.each([
    ["|"],
    ["learning_rate: |"],
    ["environments:\n  Owner/Name:\n    splits:\n      |"],
    ["# model_name: |"],
  ])("nowhere else: %j", (text) => {
    expect(wantedAt(text)).toEqual([]);
  });

  it("not about environments by one who trains the model of this computer", () => {
    expect(wantedAt("model_name: local/tiny-tool\nenvironments:\n  |")).toEqual([]);
  });
});
