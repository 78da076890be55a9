import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { EXAMPLE_REQUESTS, type ExamplesRequest } from "../../src/api/examples.ts";
import { runPaths, stepPaths } from "../../src/core/runFolder/files/layout.ts";
import { createRunReader } from "../../src/core/runFolder/reader.ts";
import { compileModel } from "../../src/node/tokenizer/compiledModel.ts";
import { filesOnDisk, folderOfEachTest } from "../fakes/onDisk.ts";
import { anEditor } from "./anEditor.ts";

// The worker thread is a file of the built program.
vi.mock("../../src/node/tokenizer/compileInThread.ts", () => ({ compileInThread: compileModel }));

const files = filesOnDisk();
const folder = folderOfEachTest();
let request: ExamplesRequest;

beforeEach(async () => {
  const path = join(folder, "demos.jsonl");
  const messages = [
    { role: "user", content: "1+1?" },
    { role: "assistant", content: "2" },
  ];
  await writeFile(path, `${JSON.stringify({ messages })}\n`.repeat(3));
  request = { path, config: null, parent: join(folder, "examples") };
});

it("shows a file that is requested again, or twice concurrently, in one folder", async () => {
  const { ask } = anEditor();
  const [first, second] = await Promise.all([
    ask<{ value: string }>(EXAMPLE_REQUESTS.read, request),
    ask(EXAMPLE_REQUESTS.read, request),
  ]);
  expect(first).toMatchObject({ ok: true });
  expect(second).toEqual(first);
  expect(await ask(EXAMPLE_REQUESTS.read, request)).toEqual(first);
  expect(await createRunReader(files.within(first.value), first.value).rollouts(0)).toHaveLength(3);
});

it("rewrites a folder that an ended server left incomplete", async () => {
  const { value: run } = await anEditor().ask<{ value: string }>(EXAMPLE_REQUESTS.read, request);
  const { runFile } = runPaths(run);
  const written = JSON.parse(await readFile(runFile, "utf8"));
  await writeFile(runFile, JSON.stringify({ ...written, phase: "preparing" }));
  await writeFile(stepPaths(run, 0).index, "");
  const again = await anEditor().ask<{ value: string }>(EXAMPLE_REQUESTS.read, request);
  expect(await createRunReader(files.within(again.value), again.value).rollouts(0)).toHaveLength(3);
});

it("shows a file in tokens once the tokenizer is available", async () => {
  const text = `model_name: org/model
tokenizer_name: ./tokenizer
method: sft
batch_size: 1
max_steps: 1
data: [{ path: demos.jsonl }]
`;
  const config = { path: join(folder, "sft.yaml"), text, overrides: [] };
  const tokens = async () => {
    const { value: run } = await anEditor().ask<{ value: string }>(EXAMPLE_REQUESTS.read, {
      ...request,
      config,
    });
    const [first] = await createRunReader(files.within(run), run).rollouts(0);
    return first?.tokens;
  };
  expect(await tokens()).toBe(0);
  await cp("src/local/engine/model", join(folder, "tokenizer"), { recursive: true });
  expect(await tokens()).toBeGreaterThan(0);
});
