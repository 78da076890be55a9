import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { aRunFile } from "../core/runFolder/builders.ts";
import { folderOfThisTest } from "../fakes/onDisk.ts";
import { createFakeProgram } from "./fakeProgram.ts";

it("a configuration stands for the folder of its runs", async () => {
  const config = join(folderOfThisTest(), "sums.yaml");
  await writeFile(config, "log_path: results");
  const asked: unknown[] = [];
  const program = createFakeProgram({
    fileSystem: createFileSystem(),
    serveView: async (request) => {
      asked.push(request);
      program.interrupt();
      return { url: "http://127.0.0.1:1/", close: async () => undefined };
    },
  });
  expect([await runProgram(program, ["view", config]), program.err.lines]).toEqual([0, []]);
  expect(asked).toMatchObject([{ run: null, parents: [expect.any(String)] }]);
});

it("runs one level down are shown if there are none in the folder itself, like runs", async () => {
  const folder = folderOfThisTest();
  const runs = join(folder, "game", ".tinker-rl", "runs");
  await mkdir(join(runs, "one"), { recursive: true });
  await writeFile(join(runs, "one", "run.json"), JSON.stringify(aRunFile()));
  const parents: unknown[] = [];
  const program = createFakeProgram({
    fileSystem: createFileSystem(),
    serveView: async (request) => {
      parents.push(...request.parents);
      program.interrupt();
      return { url: "http://127.0.0.1:1/", close: async () => undefined };
    },
  });
  expect([await runProgram(program, ["view", folder]), program.err.lines]).toEqual([0, []]);
  expect(parents).toEqual([folder, join(folder, ".tinker-rl", "runs"), runs]);
});

it("a missing folder is reported, and no pages are served", async () => {
  const folder = join(folderOfThisTest(), "nosuch");
  const program = createFakeProgram({ fileSystem: createFileSystem() });
  expect(await runProgram(program, ["view", folder])).toBe(2);
  expect(program.err.lines.join()).toContain(`${folder} does not exist.`);
});
