/** `tinker-rl train --dry_run`: shows what a run would train, and leaves nothing behind. */

import { access, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { readLines, runFolderWith } from "./localRun.ts";
import { runProgram } from "./trainProgram.ts";

const CONFIG = `
model_name: local/tiny-tool
lora_rank: 4
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 8
    nonterminal_reward: 0
    max_turns: 4
batch_size: 2
max_steps: 1
seed: 42
`;

let folder = "";
let temporary: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  folder = await runFolderWith(CONFIG);
  temporary = { TMPDIR: join(folder, "tmp") };
  await mkdir(join(folder, "tmp"));
});

const config = () => join(folder, "config.yaml");
const runs = () => join(folder, ".tinker-rl", "runs");

function scoredLines(lines: readonly unknown[]) {
  return lines
    .filter((line) => (line as { kind: string }).kind === "scored")
    .map((line) => JSON.stringify(line));
}

it("prints a rollout, rewards and what would be trained, and leaves no folder", async () => {
  const { code, stdout, stderr } = await runProgram(["train", config(), "--dry_run"], temporary);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/prompt +What is/);
  expect(stdout).toMatch(/turn 1/);
  expect(stdout).toMatch(/step 1: 16 rollouts in 2 groups, mean reward/);
  expect(stdout).toMatch(/data +\d+ datums with \d+ sampled tokens/);
  expect(stdout).toMatch(/tokens used +\d+ sampled, [1-9][\d,]* in prompts/);
  expect(stdout).toMatch(/based on +16 rollouts in 2 groups, sampled now/);
  await expect(access(runs())).rejects.toMatchObject({ code: "ENOENT" });
  expect(await readdir(join(folder, "tmp"))).toEqual([]);
});

it("scores the same rollouts that the run would train, and keeps its folder when asked", async () => {
  const dry = await runProgram(["train", config(), "--dry_run", "--keep"], temporary);
  expect(dry.code, dry.stderr).toBe(0);
  const trained = await runProgram(["train", config()], temporary);
  expect(trained.code, trained.stderr).toBe(0);
  const [first, second] = await Promise.all(
    ["config-dry-run", "config"].map(async (name) =>
      scoredLines(await readLines(join(runs(), name, "rollouts", "step-000000.index.jsonl"))),
    ),
  );
  expect(first).toHaveLength(16);
  expect(first).toEqual(second);
  const [row] = await readLines(join(runs(), "config-dry-run", "metrics.jsonl"));
  const [real] = await readLines(join(runs(), "config", "metrics.jsonl"));
  const { loss } = real as { loss: number };
  expect(row).toMatchObject({ step: 0, loss: expect.closeTo(loss, 3) });
  await expect(access(join(runs(), "config-dry-run", "checkpoints.jsonl"))).rejects.toThrow();
});

it("fails when nothing could be learned or the environment is missing", async () => {
  const words = [
    "--environments.local/calculator.nonterminal_reward=null",
    "--max_response_tokens=1",
  ];
  const unpaid = await runProgram(["train", config(), "--dry_run", ...words], temporary);
  expect(unpaid.code).toBe(2);
  expect(unpaid.stderr).toContain("None of 16 rollouts got a reward");
  expect(unpaid.stdout).toMatch(/step 1: 16 rollouts/);
  const split = await runProgram(
    [
      "train",
      config(),
      "--dry_run",
      "--overrides",
      "environments.local/calculator.splits={none: {}}",
    ],
    temporary,
  );
  expect(split.code).not.toBe(0);
  expect(await readdir(join(folder, "tmp"))).toEqual([]);
});
