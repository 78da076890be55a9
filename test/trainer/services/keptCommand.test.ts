import { describe, expect, it } from "vitest";
import { OutputTail } from "../../../src/trainer/services/keptCommand.ts";

describe("the end of what a command printed", () => {
  it("is all of it where it fits", () => {
    const tail = new OutputTail(20);
    for (const text of ["one\n", "two", " three\n"]) tail.add(text);
    expect(tail.whole).toBe("one\ntwo three\n");
  });

  it("has no line that lost its beginning", () => {
    const tail = new OutputTail(12);
    for (const text of ["key=secret-", "value\n", "it failed\n"]) tail.add(text);
    expect(tail.whole).toBe("it failed\n");
  });
});
