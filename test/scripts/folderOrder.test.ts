import { describe, expect, it } from "vitest";
import { FOLDER_ORDER, folderFaults } from "../../scripts/folderOrder.ts";

const PATH = "src/core/rollout/some.ts";

describe("rejects an import from a later folder", () => {
  it.each([
    ["a value", 'import { runLoop } from "../training/loop.ts";', "src/core/training"],
    ["a type", 'import type { Config } from "../../trainer/run.ts";', "src/trainer"],
    [
      "an import over several lines",
      'import {\n  a,\n} from "../training/loop.ts";',
      "src/core/training",
    ],
    ["a side-effect import", 'import "../training/loop.ts";', "src/core/training"],
    ["a dynamic import", 'await import("../training/loop.ts");', "src/core/training"],
    ["an export", 'export { runLoop } from "../training/loop.ts";', "src/core/training"],
    ["a folder below", 'import { a } from "./deeper/b.ts";', "src/core/rollout/deeper"],
  ])("%s", (_, text, imported) => {
    expect(folderFaults(PATH, text)).toEqual([
      `imports from ${imported}, which comes after src/core/rollout in scripts/folderOrder.ts.`,
    ]);
  });
});

it("allows imports from the same folder, from earlier folders and from packages", () => {
  const text = [
    'import { a } from "./ledger.ts";',
    'import { b } from "../util/limiter.ts";',
    'import type { RunFile } from "../../shared/runFile.ts";',
    'import * as z from "zod";',
    'import { join } from "node:path";',
  ].join("\n");
  expect(folderFaults(PATH, text)).toEqual([]);
});

it("rejects a file in a folder that is missing from the order", () => {
  expect(folderFaults("src/core/elsewhere/some.ts", "")).toEqual([
    "lies in src/core/elsewhere, which has no place in scripts/folderOrder.ts.",
  ]);
});

it("lists no folder twice", () => {
  expect(new Set(FOLDER_ORDER).size).toBe(FOLDER_ORDER.length);
});
