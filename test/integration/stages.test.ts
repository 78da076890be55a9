/** A configuration with stages on the embedded engine: run as a whole, killed in the middle, and with single stages repeated. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { folderOfAllTests } from "../fakes/onDisk.ts";
import { calculatorPlays } from "./calculatorPlays.ts";
import { killedWhen, trained } from "./comparedRuns.ts";
import { comparableStage, STAGED, TRAINED_STAGES } from "./stagedConfig.ts";
import { runProgram } from "./trainProgram.ts";

const folder = folderOfAllTests();
const config = join(folder, "config.yaml");

const runs = () => join(folder, ".tinker-rl", "runs");
const runOf = (name: string, stage: string) => join(runs(), `${name}-stages.${stage}`);
const train = (name: string, ...more: readonly string[]) => [
  ...["train", config, `--run_name=${name}`],
  ...more,
];
const overridesOf = async (run: string): Promise<readonly string[]> =>
  JSON.parse(await readFile(join(run, "overrides.json"), "utf8"));

beforeAll(async () => {
  await writeFile(join(folder, "plays.jsonl"), calculatorPlays(60));
  await writeFile(config, STAGED);
  const { code, stderr } = await runProgram(train("whole"), {});
  expect([code, stderr]).toEqual([0, ""]);
}, 240_000);

it("each stage starts from the result of the previous one, with the remaining budget", async () => {
  expect(await overridesOf(runOf("whole", "again"))).toEqual(
    expect.arrayContaining([
      'init_from=".tinker-rl/runs/whole-stages.imitate"',
      expect.stringContaining('"run":".tinker-rl/runs/whole-stages.gather-evaluation"'),
    ]),
  );
  const last = await overridesOf(runOf("whole", "reinforce"));
  expect(last).toContain('init_from=".tinker-rl/runs/whole-stages.again"');
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
      const file = stage.startsWith("gather") ? "overrides.json" : "metrics.jsonl";
      await killedWhen(args, {}, async () => {
        const names: readonly string[] = await readdir(runOf("killed", stage)).catch(() => []);
        return names.includes(file);
      });
    }
    const { code, stderr } = await runProgram(args, {});
    expect([code, stderr]).toEqual([0, ""]);
    for (const stage of TRAINED_STAGES) {
      expect(await comparableStage(runOf("killed", stage)), stage).toEqual(
        await comparableStage(runOf("whole", stage)),
      );
    }
  },
  240_000,
);

it("a single stage can be trained again from the same weights", async () => {
  const alone = await runProgram(
    train("alone", "--stage=reinforce", "--max_tokens_total=null"),
    {},
  );
  expect([alone.code, alone.stderr]).toEqual([0, ""]);
  expect(await comparableStage(join(runs(), "alone"))).toEqual(
    await comparableStage(runOf("whole", "reinforce")),
  );
}, 120_000);

it("nothing starts once the total budget is used up, and a higher budget continues the same stages", async () => {
  const stopped = await runProgram(train("poor", "--max_tokens_total=12000"), {});
  expect(stopped.code, stopped.stdout).not.toBe(0);
  expect(`${stopped.stdout}${stopped.stderr}`).toMatch(/(raise|higher) max_tokens_total/);
  const { code, stdout, stderr } = await runProgram(train("poor", "--max_tokens_total=400000"), {});
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.match(/ done /g)?.length, stdout).toBeGreaterThanOrEqual(4);
  expect(await readdir(runs())).not.toContain("poor-stages-2");
  // It stopped in this one, and evaluated it there.
  const { tokens } = await trained(runOf("poor", "reinforce"));
  expect(tokens).toEqual((await trained(runOf("whole", "reinforce"))).tokens);
}, 240_000);
