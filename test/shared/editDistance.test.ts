import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configFields } from "../../src/core/config/fields/fields.ts";
import { editDistance, nearestWord, nearestWords } from "../../src/shared/editDistance.ts";

describe("the edit distance", () => {
  it.each([
    ["", "", 0],
    ["", "abc", 3],
    ["kitten", "sitting", 3],
    ["learning", "leanring", 1],
    ["flaw", "lawn", 2],
  ])("of %j and %j is %i", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  it("is symmetric, and zero only for equal words", () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
      }),
    );
  });
});

describe("the nearest word", () => {
  const known = ["mix", "seed", "batch_size", "wandb", "wandb_run_name"];

  it.each([
    ["batch-size", "batch_size"],
    ["Seed", "seed"],
    ["sede", "seed"],
    ["batchsize", "batch_size"],
    ["wandb_name", "wandb_run_name"],
  ])("to %s is %s", (word, nearest) => {
    expect(nearestWord(word, known)).toBe(nearest);
  });

  it.each(["x", "", "optimizer", "lr"])("to %j does not exist", (word) => {
    expect(nearestWord(word, known)).toBeNull();
  });
});

it("near words differ in a few letters, have the same letters, or another case", () => {
  const keys = Object.keys(configFields);
  expect(nearestWords("lerning_rate", keys)[0]).toBe("learning_rate");
  expect(nearestWords("Batch-Size", keys)).toEqual(["batch_size"]);
  expect(nearestWords("mxi", ["mix", "seed"])).toEqual(["mix"]);
  expect(nearestWords("whodunit", ["A/WhoDunIt", "WhoDunIt"])[0]).toBe("WhoDunIt");
  expect(nearestWords("nothing", keys)).toEqual([]);
  expect(nearestWords("x".repeat(100_000), keys)).toEqual([]);
});

it("an environment of the same owner with another name is not suggested, however long the owner's name is", () => {
  const names = ["GeneralReasoning/xyz", "GeneralReasoning/abd"];
  expect(nearestWords("GeneralReasoning/abc", names)).toEqual(["GeneralReasoning/abd"]);
});
