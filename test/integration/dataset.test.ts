import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderOfThisTest } from "../fakes/onDisk.ts";
import { runProgram } from "./trainProgram.ts";

const CONFIG = `model_name: local/tiny-tool
environments:
  local/dataset:
    tasks: data/sums.jsonl
    grader: {type: number, tolerance: 0.2}
    splits: {train: {}}
    num_rollouts: 4
    nonterminal_reward: 0
evaluation:
  splits: {local/dataset: [test]}
  num_samples: 4
batch_size: 8
max_steps: 2
`;
const SUMS = Array.from({ length: 500 }, (_, index) => {
  const [a, b] = [2 + (index % 25), 3 + Math.floor(index / 25)];
  return `${JSON.stringify({ question: `What is ${a}+${b}?`, answer: a + b })}\n`;
});

async function write(rows: readonly string[]) {
  const folder = folderOfThisTest();
  const data = join(folder, "data");
  const config = join(folder, "sums.yaml");
  const file = join(data, "sums.jsonl");
  await mkdir(data);
  await writeFile(config, CONFIG);
  await writeFile(file, rows.join(""));
  return { config, file, run: join(folder, ".tinker-rl", "runs", "sums") };
}

it("a dataset trains and is evaluated, and a resume reports that its content has changed", async () => {
  const { config, file, run } = await write(SUMS);
  const first = await runProgram(["train", "-c", config], {});
  expect([first.code, first.stderr]).toEqual([0, ""]);
  expect(first.stdout).toContain("test split of local/dataset");
  expect(first.stdout).toMatch(/step 2\/2 {2}reward {2}0\.\d\d/);
  const same = await runProgram(["resume", run, "--max_steps", "3"], {});
  expect(same.stdout).not.toContain("has changed");
  await writeFile(file, [SUMS[0]?.replace('"answer":', '"answer":1'), ...SUMS.slice(1)].join(""));
  const other = await runProgram(["resume", run, "--max_steps", "4"], {});
  expect(`${other.stdout}${other.stderr}`).toContain("The file of local/dataset has changed");
});

it("a dataset with unusable rows does not start, and the message names them", async () => {
  const { config, file } = await write([...SUMS, '{"question":"Why?","answer":"So."}\n']);
  const { code, stdout, stderr } = await runProgram(["train", "-c", config], {});
  expect(code).toBe(2);
  expect(stdout).not.toContain("step");
  expect(stderr).toContain(`${file}:501:1: error: TRL222 row 501, answer: is "So.", not a number`);
});
