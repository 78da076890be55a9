/** From no demonstrations to a trained model: a run imitates rollouts of another run, and RL continues from its weights. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { isJsonObject } from "../../src/core/json.ts";
import { folderOfAllTests } from "../fakes/onDisk.ts";
import { calculatorPlays } from "./calculatorPlays.ts";
import { readLines } from "./localRun.ts";
import { runProgram } from "./trainProgram.ts";

const folder = folderOfAllTests();

const runOf = (name: string) => join(folder, ".tinker-rl", "runs", name);
const lossesOf = async (name: string) => {
  const rows = await readLines(join(runOf(name), "metrics.jsonl"));
  return rows.map((row) => (isJsonObject(row) ? Number(row["loss"]) : Number.NaN));
};

async function train(name: string, config: string, ...more: readonly string[]) {
  const path = join(folder, `${name}.yaml`);
  await writeFile(path, `model_name: local/tiny-tool\nrun_name: ${name}\n${config}`);
  return runProgram(["train", "-c", path, ...more], {});
}

beforeAll(async () => {
  await writeFile(join(folder, "plays.jsonl"), calculatorPlays(60));
});

const SUPERVISED =
  "method: sft\ndata: [{path: plays.jsonl}]\nbatch_size: 12\nlearning_rate: 0.005\n";

it("the loss on a file falls, on held-out examples too, and a resume continues exactly", async () => {
  const whole = await train("whole", `${SUPERVISED}max_steps: 12\nheld_out: 0.2\n`);
  expect([whole.code, whole.stderr]).toEqual([0, ""]);
  expect(whole.stdout).toContain("examples      48, and 12 held out");
  expect(whole.stdout).toMatch(/step 12\/12 {2}loss .* held-out loss/);
  const losses = await lossesOf("whole");
  expect(losses.at(-1)).toBeLessThan((losses[0] ?? 0) / 2);

  await train("parted", `${SUPERVISED}max_steps: 5\nheld_out: 0.2\n`);
  const resumed = await runProgram(["resume", runOf("parted"), "--max_steps", "12"], {});
  expect([resumed.code, resumed.stderr]).toEqual([0, ""]);
  expect(await lossesOf("parted")).toEqual(losses);
});

it("an estimate counts each token, and a dry run shows an example", async () => {
  const config = `${SUPERVISED}num_epochs: 1\n`;
  await train("counted", config);
  const path = join(folder, "counted.yaml");
  const estimated = await runProgram(["estimate", path, "--json"], {});
  const rows = await readLines(join(runOf("counted"), "metrics.jsonl"));
  const used = rows.at(-1);
  const { tokens }: { readonly tokens: { readonly trained: { readonly mean: number } } } =
    JSON.parse(estimated.stdout);
  expect(used).toMatchObject({ tokens: { cumulative: { trained: tokens.trained.mean } } });
  const tried = await runProgram(["train", "-c", path, "--dry_run"], {});
  expect([tried.code, tried.stderr]).toEqual([0, ""]);
  expect(tried.stdout).toMatch(/what would be trained\nexamples +2\n/);
  expect(tried.stdout).toContain("5 steps");
});
