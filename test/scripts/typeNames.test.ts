import { expect, it } from "vitest";
import { sharedTypeNames } from "../../scripts/typeNames.ts";

function named(...texts: readonly string[]) {
  return sharedTypeNames(texts.map((text, index) => ({ path: `${index}.ts`, text })));
}

it("reports two different types of the same name with their files", () => {
  const one = "/** One. */\nexport interface Range {\n  readonly low: number;\n}\n";
  const other = "export type Range = readonly [number, number];\n";
  expect(named(one, other)).toEqual([{ name: "Range", paths: ["0.ts", "1.ts"] }]);
});

it("treats equal declarations as one meaning, ignoring comments and line breaks", () => {
  const one = 'export type Kind =\n  | "a" // first\n  | "b";\n';
  const other = '/** Same. */\nexport type Kind = | "a" | "b";\nexport const KIND = 1;\n';
  expect(named(one, other)).toEqual([]);
});

it("allows types that are not exported to share a name", () => {
  expect(named("interface Options {}\n", "export interface Options {}\n")).toEqual([]);
});
