import { describe, expect, it } from "vitest";
import { plainLine, plainMessage } from "../../../src/core/util/plainText.ts";

describe("a line of untrusted text", () => {
  it("is unchanged if it is plain, in any script", () => {
    expect(plainLine("local/calculator: größer 数 ✓")).toBe("local/calculator: größer 数 ✓");
  });

  it("contains nothing that affects the surrounding text", () => {
    expect(plainLine("a\u202Eb\n\u001b[31mc\u2028d\u0000")).toBe("a·b··[31mc·d·");
  });

  it("is truncated when too long to read", () => {
    expect(plainLine("long ".repeat(100_000)).length).toBeLessThan(300);
  });
});

describe("the text of a notification", () => {
  it("keeps plain words and lines", () => {
    expect(plainMessage("The run größer-2 is done.\nNext.")).toBe(
      "The run größer-2 is done.\nNext.",
    );
  });

  it("has no links, whatever a run is named", () => {
    const text = plainMessage("The run [go](command:workbench.action.quit) is done.");
    expect(text).toBe("The run [go] (command:workbench.action.quit) is done.");
  });

  it("does not reverse the surrounding words", () => {
    expect(plainMessage("a\u202Eb")).toBe("a·b");
  });
});
