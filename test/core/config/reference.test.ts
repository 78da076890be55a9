import { describe, expect, it } from "vitest";
import { fieldSections } from "../../../src/core/config/fields/fields.ts";
import { configReference } from "../../../src/core/config/reference.ts";

describe("the reference", () => {
  const lines = configReference().split("\n");

  it("has one row of five cells per field", () => {
    const rows = lines.filter((line) => line.startsWith("| `"));
    const keys = fieldSections.flatMap(({ fields }) => Object.keys(fields));
    expect(rows.map((row) => row.split("`")[1])).toEqual(keys);
    for (const row of rows) expect(row.split(/(?<!\\)\|/)).toHaveLength(7);
  });

  it("shows types, defaults, and when a value may change", () => {
    const start =
      "| `learning_rate` | number >= 0 | `4e-5`; `1e-3` for `local/` models | any step | ";
    expect(lines.some((line) => line.startsWith(start))).toBe(true);
    expect(
      lines.some((line) =>
        line.startsWith("| `batch_size` | integer >= 1 | **required** | never |"),
      ),
    ).toBe(true);
  });
});
