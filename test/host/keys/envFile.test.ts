import { describe, expect, it } from "vitest";
import { COMMENT, placesToComment, readEnv } from "../../../src/host/keys/envFile.ts";

const FILE = [
  "# keys",
  "TINKER_API_KEY=tml-1 # mine",
  "export OTHER='two words'",
  'LONG="first',
  'TINKER_API_KEY=not this one"',
  "EMPTY=",
  "TINKER_API_KEY=tml-2",
  "LAST=x",
].join("\n");

function commented(text: string, names: readonly string[]): string | null {
  const places = placesToComment(text, names);
  if (places === null) return null;
  return [...places]
    .reverse()
    .reduce((all, at) => all.slice(0, at) + COMMENT + all.slice(at), text);
}

it("parses values like Node, and treats empty ones as not set", () => {
  expect(readEnv(FILE)).toEqual({
    TINKER_API_KEY: "tml-2",
    OTHER: "two words",
    LONG: "first\nTINKER_API_KEY=not this one",
    LAST: "x",
  });
});

describe("commenting out", () => {
  it("comments out every line of a name, but not text inside another value", () => {
    const after = commented(FILE, ["TINKER_API_KEY"]) ?? "";
    expect(after.split("\n")).toEqual([
      "# keys",
      "# TINKER_API_KEY=tml-1 # mine",
      "export OTHER='two words'",
      'LONG="first',
      'TINKER_API_KEY=not this one"',
      "EMPTY=",
      "# TINKER_API_KEY=tml-2",
      "LAST=x",
    ]);
  });

  it.each([["LONG"], ["OTHER", "LAST"], ["TINKER_API_KEY", "LONG"]])(
    "leaves the other values unchanged (%s)",
    (...names) => {
      for (const text of [FILE, FILE.replaceAll("\n", "\r\n"), `${FILE}\n`]) {
        const expected = Object.fromEntries(
          Object.entries(readEnv(text)).filter(([name]) => !names.includes(name)),
        );
        expect(readEnv(commented(text, names) ?? "")).toEqual(expected);
      }
    },
  );

  it("finds a name after a line that assigns nothing", () => {
    expect(readEnv("not a line\nODD=`b`")).toEqual({ ODD: "b" });
    expect(commented("not a line\nODD=`b`", ["ODD"])).toBe("not a line\n# ODD=`b`");
  });
});
