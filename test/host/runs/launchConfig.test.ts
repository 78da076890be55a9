import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { launchConfig } from "../../../src/host/runs/launchConfig.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "launch-config-"));
  path = join(folder, "c.yaml");
  await writeFile(path, "model_name: local/tiny-chat");
});

afterEach(() => rm(folder, { recursive: true }));

it("is the file with the overrides of a new run", async () => {
  const text = "model_name: local/tiny-chat";
  const overrides = ["max_steps=2"];
  const config = await launchConfig({ configPath: path, overrides, resume: null });
  expect(config).toEqual({ path, text, overrides });
});

it("has for a resume what the run was given so far: it may need other keys than the file", async () => {
  await writeFile(join(folder, "overrides.json"), JSON.stringify(["model_name=Qwen/Qwen3-8B"]));
  const wish = { configPath: path, overrides: ["max_steps=2"], resume: folder };
  const overrides = ["model_name=Qwen/Qwen3-8B", "max_steps=2"];
  expect((await launchConfig(wish)).overrides).toEqual(overrides);
});

it("is the run's own copy when the file is gone", async () => {
  const text = '{"model_name": "Qwen/Qwen3-8B"}';
  await writeFile(join(folder, "config.resolved.json"), text);
  await writeFile(join(folder, "overrides.json"), "damaged");
  const configPath = join(folder, "gone.yaml");
  const config = await launchConfig({ configPath, overrides: [], resume: folder });
  expect(config).toEqual({ path: configPath, text, overrides: [] });
});
