import { describe, expect, it } from "vitest";
import { diagnose } from "../../src/core/config/editing/diagnostics/diagnose.ts";
import { readYaml } from "../../src/core/config/source/yamlSource.ts";

const LINKS = 240;

/** Mappings that build on each other, each with one key more: a few lines that stand for 29,000 keys. */
function chain(links: number, use: (before: string) => string): string {
  const lines = Array.from(
    { length: links - 1 },
    (_, i) => `m${i + 1}: &m${i + 1} {<<: ${use(`*m${i}`)}, a${i + 1}: 1}\n`,
  );
  return `m0: &m0 {a0: 1}\n${lines.join("")}`;
}

/** Keys that the whole text stands for, as far as the reader lists them. */
function keysListed(text: string): number {
  const source = readYaml(text, "yaml");
  const top = source.entries(source.root);
  return top.reduce((sum, { value }) => sum + source.entries(value).length, 0);
}

describe("mappings that are merged into each other in a long chain", () => {
  it.each([
    ["each by the next", (before: string) => before],
    ["each twice by the next", (before: string) => `[${before}, ${before}]`],
  ])("%s: are refused, at the place where they become too much", (_, use) => {
    const text = chain(LINKS, use);
    expect(keysListed(text)).toBeLessThan(25_000);
    const refusals = diagnose(text, { path: "run.yaml" }).filter(({ message }) =>
      message.startsWith("From here on, aliases expand to more"),
    );
    expect(refusals).toHaveLength(1);
    const { start } = refusals[0]?.span ?? { start: 0 };
    expect(text.slice(start)).toMatch(/^\{?<</);
    expect(start).toBeGreaterThan(text.length / 10);
  });

  it("of the length that people write are read whole", () => {
    const source = readYaml(
      chain(20, (before) => before),
      "yaml",
    );
    const last = source.entries(source.root).at(-1)?.value ?? null;
    expect(source.entries(last)).toHaveLength(20);
    expect(source.exhaustedAt()).toBeNull();
  });

  it("that end in themselves add no key", () => {
    const source = readYaml("a: &a\n  <<: *a\n  b: &b {<<: *a, c: 1}\n", "yaml");
    const [first] = source.entries(source.root);
    expect(source.entries(first?.value ?? null).map(({ key }) => key)).toEqual(["b"]);
  });
});
