/** `tinker-rl estimate`: based on groups played for the estimate, or on a past run of the same environments and model. */

import { access, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { readUsage, usageEntries } from "../../src/core/runFolder/usageLog.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { runFolderWith } from "./localRun.ts";
import { runProgram } from "./trainProgram.ts";

const CONFIG = `
model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 3
max_steps: 2
kl_coef: 0.01
evaluation: { splits: { local/calculator: [test] }, num_samples: 3, temperatures: [1], at_start: false }
prices: { sampled: 4, prefill_cached: 1, prefill_uncached: 2, trained: 3 }
`;

const range = z.object({ mean: z.number(), low: z.number(), high: z.number() });
const printed = z.object({
  tokens: z.object({ sampled: range, trained: range, prefill_uncached: range }),
  totalTokens: range,
  evaluationTokens: range,
  costUsd: range.nullable(),
  restsOn: z.object({ run: z.string().nullable(), groups: z.number(), rollouts: z.number() }),
});

let folder = "";
let temporary: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  folder = await runFolderWith(CONFIG);
  temporary = { TMPDIR: join(folder, "tmp") };
  await mkdir(join(folder, "tmp"));
});

const config = () => join(folder, "config.yaml");
const run = () => join(folder, ".tinker-rl", "runs", "config");

async function estimate(...words: readonly string[]) {
  const args = ["estimate", config(), "--json", ...words];
  const { code, stdout, stderr } = await runProgram(args, temporary);
  expect(code, stderr).toBe(0);
  return printed.parse(JSON.parse(stdout));
}

it("plays two groups when there is no past run, and leaves no folder", async () => {
  const { restsOn, costUsd, evaluationTokens } = await estimate();
  expect(restsOn).toEqual({ run: null, groups: 2, rollouts: 8 });
  expect(costUsd?.low).toBeGreaterThan(0);
  expect(evaluationTokens.mean).toBeGreaterThan(0);
  await expect(access(run())).rejects.toMatchObject({ code: "ENOENT" });
  expect(await readdir(join(folder, "tmp"))).toEqual([]);
});

it("uses a run of the environments and the model, and predicts its actual use for the same plan", async () => {
  const trained = await runProgram(["train", config()], temporary);
  expect(trained.code, trained.stderr).toBe(0);
  const fileSystem = createFileSystem();
  const { training } = await readUsage(fileSystem.within(run()), run());
  let sampled = 0;
  for await (const entry of usageEntries(fileSystem.within(run()), run())) {
    if (entry.for === "rollout" || entry.for === "evaluation") sampled += entry.tokens.sampled;
  }
  await fileSystem.close();
  const { restsOn, tokens, evaluationTokens, totalTokens } = await estimate();
  expect(restsOn).toEqual({ run: run(), groups: 6, rollouts: 24 });
  // Rollouts, evaluation rollouts, and one token for the server check.
  expect(tokens.sampled.mean).toBeCloseTo(1 + sampled, 6);
  expect(evaluationTokens.mean).toBeLessThan(totalTokens.mean / 4);
  expect(tokens.trained.mean).toBeGreaterThan(training.trained * 0.75);
  expect(tokens.trained.mean).toBeLessThan(training.trained * 1.25);

  const twice = await estimate("--max_steps", "4");
  expect(twice.tokens.trained.mean).toBeCloseTo(2 * tokens.trained.mean, 6);
  expect((await estimate("--groups", "1")).restsOn).toEqual({ run: null, groups: 1, rollouts: 4 });
});

it("reads a past run without keys, and without the services of a hosted model", async () => {
  const asked = await estimate("--from", run());
  const hosted = join(folder, "hosted.yaml");
  await writeFile(hosted, CONFIG.replace("local/tiny-tool", "Qwen/Qwen3-8B"));
  const words = ["estimate", hosted, "--from", run(), "--json"];
  const { code, stdout, stderr } = await runProgram(words, { ...temporary, TINKER_API_KEY: "" });
  expect(code, stderr).toBe(0);
  expect(printed.parse(JSON.parse(stdout))).toEqual(asked);
});

const swept = printed.extend({
  runs: z.array(z.object({ run: z.string(), totalTokens: range, costUsd: range.nullable() })),
});

it("estimates each run of a sweep like that run alone, and all of them", async () => {
  const args = ["estimate", config(), "--grid", "max_steps=2,4", "--grid", "lora_rank=4"];
  const { code, stdout, stderr } = await runProgram([...args, "--json"], temporary);
  expect(code, stderr).toBe(0);
  const { runs, costUsd } = swept.parse(JSON.parse(stdout));
  const alone = await estimate("--max_steps", "4", "--lora_rank", "4");
  expect(runs.map(({ run: name }) => name)).toEqual([
    "max_steps 2 · lora_rank 4",
    "max_steps 4 · lora_rank 4",
  ]);
  expect(runs[1]).toMatchObject({ totalTokens: alone.totalTokens, costUsd: alone.costUsd });
  const sum = runs.reduce((total, each) => total + (each.costUsd?.mean ?? 0), 0);
  expect(costUsd?.mean).toBeCloseTo(sum, 9);

  const wrong = await runProgram(["estimate", config(), "--grid", "max_steps=2,x"], temporary);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("--grid max_steps=x") });
});

it("asks before it plays groups for the run of a sweep that has no past run", async () => {
  const args = ["estimate", config(), "--grid", "model_name=local/tiny-tool,Qwen/Qwen3-8B"];
  const { code, stderr } = await runProgram(args, temporary);
  expect(code).toBe(2);
  expect(stderr).toContain("samples a few groups with Qwen/Qwen3-8B, which the service bills");
});

it("queries the services when the past run does not record how many tasks there are", async () => {
  const known = await estimate("--from", run());
  const events = join(run(), "events.jsonl");
  const text = await readFile(events, "utf8");
  await writeFile(events, text.replaceAll(/,"tasks":\{.*?\}\}/g, ""));
  expect(await readFile(events, "utf8")).not.toBe(text);
  expect(await estimate("--from", run())).toEqual(known);
});

it("ends with what is wrong with a folder", async () => {
  await writeFile(join(run(), "usage.jsonl"), "");
  const empty = await runProgram(["estimate", config(), "--from", run()], temporary);
  expect(empty.code).not.toBe(0);
  expect(empty.stderr).toContain("has no rollouts with tokens");
  const nowhere = await runProgram(["estimate", config(), "--from", join(folder, "no")], temporary);
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("does not exist") });
});

const STAGES = `
model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 3
max_tokens_total: 100
stages:
  gather: { method: collect, samples_per_task: 2, max_tasks: 10 }
  imitate: { method: sft, data: [{ run: "stage:gather", where: reward >= 0 }], batch_size: 4, max_steps: 2 }
  reinforce: { max_steps: 2, kl_coef: 0.1, kl_reference: "stage:imitate" }
`;

const staged = printed.extend({
  steps: z.number(),
  stages: z.array(
    z.object({
      stage: z.string(),
      totalTokens: range,
      tokens: z.object({ sampled: range, trained: range }),
      restsOn: z.object({ examples: z.number().optional() }),
    }),
  ),
});

it("estimates each stage, first from groups that are played once, then from the finished stages", async () => {
  const own = join(folder, "staged");
  await mkdir(own);
  const path = join(own, "stages.yaml");
  await writeFile(path, STAGES);
  const ask = async () => {
    const { code, stdout, stderr } = await runProgram(["estimate", path, "--json"], temporary);
    expect(code, stderr).toBe(0);
    return staged.parse(JSON.parse(stdout));
  };
  const before = await ask();
  expect(before.restsOn).toMatchObject({ run: null, groups: 2 });
  expect(before.stages.map(({ stage }) => stage)).toEqual(["gather", "imitate", "reinforce"]);
  const [gather, imitate] = before.stages;
  expect(gather?.tokens.trained.mean).toBe(0);
  expect(imitate?.tokens.sampled.mean).toBe(0);
  expect(imitate?.restsOn.examples).toBeUndefined();
  const sum = before.stages.reduce((total, each) => total + each.totalTokens.mean, 0);
  expect(before.totalTokens.mean).toBeCloseTo(sum, 6);
  expect(await readdir(join(folder, "tmp"))).toEqual([]);
  const shown = await runProgram(["estimate", path], temporary);
  expect(shown.stdout).toContain(
    "max_tokens_total: 100 of all stages may be used up in stage gather or later.",
  );

  const alone = await runProgram(["estimate", path, "--stage=reinforce"], temporary);
  expect(alone.code, alone.stderr).toBe(0);

  const words = ["train", path, "--overrides", "max_tokens_total=null"];
  const trained = await runProgram(words, temporary);
  expect(trained.code, trained.stderr).toBe(0);
  const after = await ask();
  expect(after.restsOn.run).toContain("reinforce");
  expect(after.stages[1]?.restsOn.examples).toBeGreaterThan(0);
});
