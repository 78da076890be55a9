import { expect, it } from "vitest";
import { fieldOf, fieldSections } from "../../../../src/core/config/fields/fields.ts";
import { ownNameOf } from "../../../../src/core/config/rules/foreignKeys.ts";

it("every foreign name maps to a key that exists", () => {
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
