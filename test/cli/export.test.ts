import { expect, it } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { createFakeProgram } from "./fakeProgram.ts";

it("collect rejects a folder with files before it plays anything", async () => {
  const fileSystem = createMemoryFileSystem();
  await fileSystem.writeAtomic("/home/me/good/train.jsonl", "{}\n");
  const program = createFakeProgram({ fileSystem });
  const words = ["collect", "base", "-c", "env.yaml", "--output", "good"];
  expect(await runProgram(program, words)).toBe(2);
  expect(program.err.lines.join("\n")).toContain("/home/me/good is not empty");
});
