/** A configuration with stages on the embedded engine, as a user runs it: all at once, killed in the middle, and one again alone. */

import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isJsonObject } from "../../src/core/json.ts";
import { calculatorPlays } from "./calculatorPlays.ts";
import { trained } from "./comparedRuns.ts";
import { runProgram, startProgram } from "./trainProgram.ts";

const STAGED = `
model_name: local/tiny-tool
lora_rank: 8
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 4
batch_size: 4
max_tokens_total: 400000
evaluation: { splits: { local/calculator: [test] }, num_samples: 4 }
stages:
  imitate:
    method: sft
    data: [{ path: plays.jsonl }]
    learning_rate: 5e-3
    max_steps: 6
  gather: { method: collect, samples_per_task: 2, max_tasks: 40 }
  again:
    method: sft
    data: [{ run: "stage:gather", where: reward >= 1 }]
    max_steps: 2
  reinforce: { max_steps: 3 }
`;
/** Folders of those that train. */
const TRAINED = ["imitate", "again", "reinforce"];

let folder = "";
let config = "";

const runs = () => join(folder, ".tinker-rl", "runs");
const runOf = (name: string, stage: string) => join(runs(), `${name}-stages.${stage}`);
const train = (name: string, ...more: readonly string[]) => [
  ...["train", config, `--run_name=${name}`],
  ...more,
];
const overridesOf = async (run: string): Promise<readonly string[]> =>
  JSON.parse(await readFile(join(run, "overrides.json"), "utf8"));

/** Without the budget, of which a repeated stage has less. */
async function comparable(run: string) {
  const { rows, ...others } = await trained(run);
  const comparedRows = rows.map((row) =>
    isJsonObject(row) ? { ...row, budget: null, alarms: null } : row,
  );
  return { ...others, rows: comparedRows };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tinker-rl-test-"));
  config = join(folder, "config.yaml");
  await writeFile(join(folder, "plays.jsonl"), calculatorPlays(60));
  await writeFile(config, STAGED);
  const { code, stderr } = await runProgram(train("whole"), {});
  expect([code, stderr]).toEqual([0, ""]);
}, 240_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it("each stage begins with what the one before has left, and with the rest of the budget", async () => {
  expect(await overridesOf(runOf("whole", "again"))).toEqual(
    expect.arrayContaining([
      "init_from=.tinker-rl/runs/whole-stages.imitate",
      expect.stringContaining('"run":".tinker-rl/runs/whole-stages.gather-evaluation"'),
    ]),
  );
  const last = await overridesOf(runOf("whole", "reinforce"));
  expect(last).toContain("init_from=.tinker-rl/runs/whole-stages.again");
  const left = Number(last.find((text) => text.startsWith("max_tokens_total="))?.split("=")[1]);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(400_000);
  const losses = (await trained(runOf("whole", "again"))).rows;
  expect(losses).toHaveLength(2);
});

it.skipIf(process.platform === "win32")(
  "trained again after a kill, they end as if nothing had happened",
  async () => {
    const args = train("killed");
    for (const stage of ["imitate", "gather-evaluation", "reinforce"]) {
      const child = startProgram(args, {}, true);
      const closed = once(child, "close");
      child.stdout?.resume();
      let said = "";
      child.stderr?.on("data", (text) => {
        said += text;
      });
      const file = stage.startsWith("gather") ? "run.json" : "metrics.jsonl";
      const isThere = async (): Promise<boolean> => {
        const names: readonly string[] = await readdir(runOf("killed", stage)).catch(() => []);
        return names.includes(file);
      };
      while (child.exitCode === null && !(await isThere())) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(child.exitCode, said).toBeNull();
      process.kill(-(child.pid ?? 0), "SIGKILL");
      await closed;
    }
    const { code, stderr } = await runProgram(args, {});
    expect([code, stderr]).toEqual([0, ""]);
    for (const stage of TRAINED) {
      expect(await comparable(runOf("killed", stage)), stage).toEqual(
        await comparable(runOf("whole", stage)),
      );
    }
  },
  240_000,
);

it("one is trained again alone, from the same weights", async () => {
  const alone = await runProgram(
    train("alone", "--stage=reinforce", "--max_tokens_total=null"),
    {},
  );
  expect([alone.code, alone.stderr]).toEqual([0, ""]);
  expect(await comparable(join(runs(), "alone"))).toEqual(
    await comparable(runOf("whole", "reinforce")),
  );
}, 120_000);

it("nothing begins once the budget of all is used, and a higher one goes on", async () => {
  const poor = join(folder, "poor.yaml");
  await writeFile(poor, STAGED.replace("400000", "12000"));
  const stopped = await runProgram(["train", poor], {});
  expect(stopped.code, stopped.stdout).not.toBe(0);
  expect(`${stopped.stdout}${stopped.stderr}`).toMatch(/(raise|higher) max_tokens_total/);
  await writeFile(poor, STAGED);
  const { code, stdout, stderr } = await runProgram(["train", poor], {});
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.match(/ done /g)?.length, stdout).toBeGreaterThanOrEqual(4);
  // It stopped in this one, and measured where it stopped.
  const { tokens } = await trained(runOf("poor", "reinforce"));
  expect(tokens).toEqual((await trained(runOf("whole", "reinforce"))).tokens);
}, 120_000);
