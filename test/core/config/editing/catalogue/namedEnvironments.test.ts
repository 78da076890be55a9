import { describe, expect, it } from "vitest";
import { namedEnvironments } from "../../../../../src/core/config/editing/catalogue/namedEnvironments.ts";

const named = (text: string): readonly string[] => namedEnvironments(text, { path: "a.yaml" });

describe("the environments of a text", () => {
  it("are those to train and to evaluate in, each once", () => {
    const text =
      "environments:\n  a/b: {}\nevaluation:\n  splits:\n    a/b: [test]\n    c/d: [test]";
    expect(named(text)).toEqual(["a/b", "c/d"]);
  });

  it.each([[""], ["environments:"], ["environments: 3"], ["- a"], ["environments:\n  a/b: {"]])(
    "are found without a throw in %j",
    (text) => {
      expect(() => named(text)).not.toThrow();
    },
  );
});
