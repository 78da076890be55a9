import { describe, expect, it, vi } from "vitest";
import { Parser } from "yaml";
import { diagnose } from "../../../../src/core/config/editing/diagnostics/diagnose.ts";
import { fixesAt } from "../../../../src/core/config/editing/fixes/fixes.ts";
import { parseConfig } from "../../../../src/core/config/parse.ts";
import { readYaml } from "../../../../src/core/config/source/yamlSource.ts";

describe("a text that is not a configuration is rejected with one reason", () => {
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

  it("aliases and merges that expand too far", () => {
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

it("an alias refers to the last anchor of its name before it", () => {
  const source = readYaml("a: &x 1\nb: *x\nc: &x 2\nd: *x\ne: *y\n", "yaml");
  const values = source.entries(source.root).map(({ value }) => String(source.resolve(value)));
  expect([values[1], values[3]]).toEqual(["1", "2"]);
  expect(source.faults.map(({ message }) => message)).toEqual([
    "No anchor precedes this alias. Write the value out, in quotes if it begins with `*`.",
  ]);
});

/** How many lexemes the parser receives during `work`. */
function lexemesParsed(work: () => unknown): number {
  const next = vi.spyOn(Parser.prototype, "next");
  work();
  const count = next.mock.calls.length;
  next.mockRestore();
  return count;
}

const messages = (text: string): readonly string[] =>
  diagnose(text, { path: "run.yaml" }).map(({ message }) => message);

const aliases = (count: number): string => `a: &a x\nb: [${Array(count).fill("*a").join(", ")}]\n`;

describe("a configuration that is refused for its size", () => {
  const text = Array.from({ length: 10_000 }, (_, i) => `key${i}: ${i}\n`).join("");

  it("is refused before any of it is parsed", () => {
    expect(lexemesParsed(() => parseConfig(text, { path: "run.yaml" }))).toBe(0);
    expect(messages(text)).toEqual([expect.stringMatching(/^The file is too large to be read/)]);
  });
});

describe("a configuration with an unrealistic number of aliases", () => {
  it("is refused before any of it is parsed, at the first alias over the limit", () => {
    const text = aliases(2_000);
    expect(lexemesParsed(() => diagnose(text, { path: "run.yaml" }))).toBe(0);
    const [only, ...more] = diagnose(text, { path: "run.yaml" });
    expect(more).toEqual([]);
    expect(only?.message).toMatch(/aliases/);
    expect(text.slice(only?.span.start)).toMatch(/^\*a/);
  });

  it("is read when the number is realistic", () => {
    expect(messages(aliases(400)).join()).not.toMatch(/aliases/i);
  });
});

it("broken lines are left out only if the rest can be used", () => {
  const links = Array.from(
    { length: 300 },
    (_, i) => `m${i + 1}: &m${i + 1} {<<: *m${i}, k${i}: 1}\n`,
  );
  const chain = `m0: &m0 {k: 1}\n${links.join("")}`;
  const whole = lexemesParsed(() => parseConfig(chain, { path: "run.yaml" }));
  // Ten lexemes per link, parsed once, and not again without the line where it became too much.
  expect(whole).toBeGreaterThan(300 * 10);
  expect(whole).toBeLessThan(300 * 25);
});

it("the number of fixes tried depends on the text's length, not on the number of fixes per mark", () => {
  const text = `a:\n${" a:\n".repeat(200)}`;
  const parsed = lexemesParsed(() =>
    fixesAt(text, { start: 0, end: text.length }, { path: "run.yaml" }),
  );
  const once = lexemesParsed(() => parseConfig(text, { path: "run.yaml" }));
  expect(parsed / once).toBeLessThan(25);
});

const LINKS = 240;

/** Mappings that build on each other, each adding a key: a few lines that expand to 29,000 keys. */
function chain(links: number, use: (before: string) => string): string {
  const lines = Array.from(
    { length: links - 1 },
    (_, i) => `m${i + 1}: &m${i + 1} {<<: ${use(`*m${i}`)}, a${i + 1}: 1}\n`,
  );
  return `m0: &m0 {a0: 1}\n${lines.join("")}`;
}

/** Number of keys that the whole text expands to, as far as the reader lists them. */
function keysListed(text: string): number {
  const source = readYaml(text, "yaml");
  const top = source.entries(source.root);
  return top.reduce((sum, { value }) => sum + source.entries(value).length, 0);
}

describe("mappings merged in a long chain", () => {
  it.each([
    ["each by the next", (before: string) => before],
    ["each twice by the next", (before: string) => `[${before}, ${before}]`],
  ])("%s: are refused at the point where they become too large", (_, use) => {
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

  it("of realistic length are read completely", () => {
    const source = readYaml(
      chain(20, (before) => before),
      "yaml",
    );
    const last = source.entries(source.root).at(-1)?.value ?? null;
    expect(source.entries(last)).toHaveLength(20);
    expect(source.exhaustedAt()).toBeNull();
  });

  it("that merge themselves add no keys", () => {
    const source = readYaml("a: &a\n  <<: *a\n  b: &b {<<: *a, c: 1}\n", "yaml");
    const [first] = source.entries(source.root);
    expect(source.entries(first?.value ?? null).map(({ key }) => key)).toEqual(["b"]);
  });
});
