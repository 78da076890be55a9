import { describe, expect, it, vi } from "vitest";
import { Parser } from "yaml";
import { diagnose } from "../../src/core/config/editing/diagnostics/diagnose.ts";
import { fixesAt } from "../../src/core/config/editing/fixes/fixes.ts";
import { parseConfig } from "../../src/core/config/parse.ts";

/** How often the parser is given a lexeme meanwhile. */
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

describe("a configuration with far more aliases than anybody writes", () => {
  it("is refused before any of it is parsed, at the alias that is one too many", () => {
    const text = aliases(2_000);
    expect(lexemesParsed(() => diagnose(text, { path: "run.yaml" }))).toBe(0);
    const [only, ...more] = diagnose(text, { path: "run.yaml" });
    expect(more).toEqual([]);
    expect(only?.message).toMatch(/aliases/);
    expect(text.slice(only?.span.start)).toMatch(/^\*a/);
  });

  it("is read with as many as people write", () => {
    expect(messages(aliases(400)).join()).not.toMatch(/aliases/i);
  });
});

it("lines that cannot be read are left out only where the rest could be used", () => {
  const links = Array.from(
    { length: 300 },
    (_, i) => `m${i + 1}: &m${i + 1} {<<: *m${i}, k${i}: 1}\n`,
  );
  const chain = `m0: &m0 {k: 1}\n${links.join("")}`;
  const whole = lexemesParsed(() => parseConfig(chain, { path: "run.yaml" }));
  // Ten lexemes a link, parsed once, not once more without the line where it became too much.
  expect(whole).toBeGreaterThan(300 * 10);
  expect(whole).toBeLessThan(300 * 25);
});

it("fixes of a text are tried out as often as its length allows, however many a mark has", () => {
  const text = `a:\n${" a:\n".repeat(200)}`;
  const parsed = lexemesParsed(() =>
    fixesAt(text, { start: 0, end: text.length }, { path: "run.yaml" }),
  );
  const once = lexemesParsed(() => parseConfig(text, { path: "run.yaml" }));
  expect(parsed / once).toBeLessThan(25);
});
