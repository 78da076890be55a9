import { describe, expect, it } from "vitest";
import { namedEnvironments } from "../../../../../src/core/config/editing/catalogue/namedEnvironments.ts";

const found = (text: string) => namedEnvironments(text, { path: "a.yaml" });
const named = (text: string): readonly string[] => found(text).map(({ name }) => name);

describe("the environments named in a text", () => {
  it("include those for training and evaluation, each once", () => {
    const text =
      "environments:\n  a/b: {}\nevaluation:\n  splits:\n    a/b: [test]\n    c/d: [test]";
    expect(named(text)).toEqual(["a/b", "c/d"]);
  });

  it("include a description of their own server, if any", () => {
    const text =
      "environments:\n  a: {server: {command: [python, a.py]}}\n  b: {server: {url: http://b}}\n  c: {server: }\n  d: {server: {bridge: textarena, id: Wordle-v0}}";
    expect(found(text).map(({ server }) => server)).toEqual([
      "python a.py",
      "http://b",
      null,
      "textarena Wordle-v0",
    ]);
  });

  it.each([[""], ["environments:"], ["environments: 3"], ["- a"], ["environments:\n  a/b: {"]])(
    "are read from %j without throwing",
    (text) => {
      expect(() => named(text)).not.toThrow();
    },
  );
});
