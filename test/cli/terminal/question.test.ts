import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { askYesNo } from "../../../src/cli/terminal/question.ts";

/** The answer of a person who presses these keys. */
function answerTo(keys: string): Promise<boolean> {
  const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true })];
  const asking = askYesNo({ input, output }, "Continue? [y/N]", "no");
  input.write(keys);
  return asking;
}

describe("a prompt in a terminal", () => {
  it("is answered by a line", async () => {
    expect(await answerTo("y\r")).toBe(true);
    expect(await answerTo("\r")).toBe(false);
  });

  it.each([
    ["Ctrl+C", "\u0003"],
    ["Ctrl+D", "\u0004"],
  ])("%s ends the command", async (_name, key) => {
    await expect(answerTo(key)).rejects.toMatchObject({
      code: "interrupted",
      message: "The question was not answered.",
    });
  });
});
