import { describe, expect, it } from "vitest";
import { diagnose } from "../../../../src/core/config/editing/diagnostics/diagnose.ts";
import { readYaml } from "../../../../src/core/config/source/yamlSource.ts";

describe("a text that is no configuration is given up, with one reason", () => {
  it.each([
    ["too deep", "[".repeat(1000)],
    ["too deep in blocks", "- ".repeat(1000)],
    ["too deep in keys", "? ".repeat(1000)],
    ["too large", "a".repeat(300 * 1024)],
    ["too many pieces", "- 1\n".repeat(40_000)],
    ["nothing but stray signs", "]".repeat(5000)],
  ])("%s", (_, text) => {
    const source = readYaml(text, "yaml");
    expect(source.root).toBeNull();
    expect(source.faults).toHaveLength(1);
    expect(source.faults[0]?.severity).toBe("error");
  });

  it("aliases and merges that stand for too much", () => {
    const keys = Array.from({ length: 400 }, (_, i) => `    k${i}: 1\n`).join("");
    const uses = (use: string) =>
      Array.from({ length: 400 }, (_, i) => `  e${i}: ${use}\n`).join("");
    for (const use of ["*a", "{<<: *a}"]) {
      const text = `environments:\n  a: &a\n${keys}${uses(use)}`;
      expect(diagnose(text, { path: "run.yaml" })[0]?.message).toMatch(
        /^From here on, aliases expand to more/,
      );
    }
  });
});

it("an alias means the last anchor of its name before it", () => {
  const source = readYaml("a: &x 1\nb: *x\nc: &x 2\nd: *x\ne: *y\n", "yaml");
  const values = source.entries(source.root).map(({ value }) => String(source.resolve(value)));
  expect([values[1], values[3]]).toEqual(["1", "2"]);
  expect(source.faults.map(({ message }) => message)).toEqual([
    "No anchor precedes this alias. Write the value out, in quotes if it begins with `*`.",
  ]);
});
