import { expect, it } from "vitest";
import { sharedTypeNames } from "../../scripts/typeNames.ts";

function named(...texts: readonly string[]) {
  return sharedTypeNames(texts.map((text, index) => ({ path: `${index}.ts`, text })));
}

it("a name of two different types is found with their files", () => {
  const one = "/** One. */\nexport interface Range {\n  readonly low: number;\n}\n";
  const other = "export type Range = readonly [number, number];\n";
  expect(named(one, other)).toEqual([{ name: "Range", paths: ["0.ts", "1.ts"] }]);
});

it("equal declarations have one meaning, whatever their comments and line breaks", () => {
  const one = 'export type Kind =\n  | "a" // first\n  | "b";\n';
  const other = '/** Same. */\nexport type Kind = | "a" | "b";\nexport const KIND = 1;\n';
  expect(named(one, other)).toEqual([]);
});

it("types that are not exported may share a name", () => {
  expect(named("interface Options {}\n", "export interface Options {}\n")).toEqual([]);
});
