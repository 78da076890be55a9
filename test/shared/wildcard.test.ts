import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapePattern } from "../../src/core/util/escapePattern.ts";
import { fitsWildcard } from "../../src/shared/wildcard.ts";

describe("a pattern with stars", () => {
  it("matches the same as the regular expression with any text for each star", () => {
    const letters = (...own: string[]) =>
      fc.array(fc.constantFrom(...own), { maxLength: 8 }).map((all) => all.join(""));
    fc.assert(
      fc.property(letters("a", "b", "."), letters("a", "b", ".", "*"), (text, pattern) => {
        const source = pattern.split("*").map(escapePattern).join("[\\s\\S]*");
        expect(fitsWildcard(text, pattern)).toBe(new RegExp(`^${source}$`).test(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it("may have any number of stars", () => {
    expect(fitsWildcard("a".repeat(200), `${"a*".repeat(100)}b`)).toBe(false);
    expect(fitsWildcard("a".repeat(200), "a*".repeat(100))).toBe(true);
  });
});
