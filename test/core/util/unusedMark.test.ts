import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unusedMark } from "../../../src/core/util/unusedMark.ts";

describe("an unused mark", () => {
  it("does not occur in the text, and grows logarithmically with it", () => {
    const text = fc
      .array(fc.constantFrom("#", "0", "1", "2", "#0#", "#1", "a"), { maxLength: 60 })
      .map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, (own) => {
        const mark = unusedMark("#", "#", own);
        expect(own).not.toContain(mark);
        expect(mark.length).toBeLessThanOrEqual(4);
      }),
    );
  });

  it("uses the smallest number", () => {
    expect(unusedMark("zq", "qz", "zq0qz zq1q zq2qz")).toBe("zq1qz");
  });
});
