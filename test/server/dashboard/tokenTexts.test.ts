import { cp, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { tokenTextsOf } from "../../../src/server/dashboard/tokenTexts.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";

const COMMIT = "1".repeat(40);
const PINNED = "4d01dfe0332d63057c186e0b262165819efb6611";

const root = folderOfEachTest();
const files = filesOnDisk();
beforeEach(() => {
  vi.stubEnv("XDG_CACHE_HOME", root);
  vi.stubEnv("HF_HOME", join(root, "python"));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it.each([
  ["Qwen/Qwen3-8B:peft:32768", "Qwen--Qwen3-8B", "main", COMMIT],
  [
    "meta-llama/Llama-3.1-8B",
    "thinkingmachineslabinc--meta-llama-3-instruct-tokenizer",
    "main",
    COMMIT,
  ],
  ["moonshotai/Kimi-K2.5", "moonshotai--Kimi-K2.5", PINNED, PINNED],
])("the dashboard shows the token texts of %s", async (model, name, revision, commit) => {
  const cached = join(root, "tinker-rl/tokenizers", name);
  await cp(resolve("test/fixtures/tiny-bytes"), join(cached, commit), { recursive: true });
  await mkdir(join(cached, "refs"));
  await writeFile(join(cached, "refs", revision), commit);
  const run = join(root, "run");
  await mkdir(run);
  await writeFile(join(run, "config.resolved.json"), JSON.stringify({ model_name: model }));
  expect(await tokenTextsOf(files, resolve("dist/trainer"))(run, Int32Array.of(72, 105))).toEqual([
    "H",
    "i",
  ]);
});
