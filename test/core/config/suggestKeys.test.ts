import { expect, it } from "vitest";
import { configFields, fieldOf, fieldSections } from "../../../src/core/config/fields.ts";
import { ownNameOf, suggestKeys } from "../../../src/core/config/suggestKeys.ts";

it("near words are those with few other letters, the same letters, or another case", () => {
  const keys = Object.keys(configFields);
  expect(suggestKeys("lerning_rate", keys)[0]).toBe("learning_rate");
  expect(suggestKeys("Batch-Size", keys)).toEqual(["batch_size"]);
  expect(suggestKeys("mxi", ["mix", "seed"])).toEqual(["mix"]);
  expect(suggestKeys("whodunit", ["A/WhoDunIt", "WhoDunIt"])[0]).toBe("WhoDunIt");
  expect(suggestKeys("nothing", keys)).toEqual([]);
  expect(suggestKeys("x".repeat(100_000), keys)).toEqual([]);
});

it("every foreign name leads to a key that exists", () => {
  for (const foreign of [
    "lr",
    "num_generations",
    "group_size",
    "max_tokens",
    "epochs",
    "output_dir",
  ]) {
    const own = ownNameOf(foreign) ?? "";
    expect(fieldSections.some(({ fields }) => fieldOf(fields, own) !== undefined)).toBe(true);
  }
});
