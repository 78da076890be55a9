/** A sweep on the embedded engine, run as a whole and killed in the middle. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { isInSecondStep, killedWhen, trained } from "./comparedRuns.ts";
import { runFolderWith } from "./localRun.ts";
import { runProgram } from "./trainProgram.ts";

const EXAMPLE = new URL("../../examples/local/tinker-config.yaml", import.meta.url);
const GRID = ["--grid", "learning_rate=2e-3,8e-3", "--grid", "seed=1,2"];
/** The example configuration, with few steps. */
const SHORT = ["--max_steps=3", "--batch_size=2", "--evaluation.num_samples=2"];
const NAMES = ["2e-3.seed_1", "2e-3.seed_2", "8e-3.seed_1", "8e-3.seed_2"];

let config = "";
let parent = "";

beforeAll(async () => {
  const folder = await runFolderWith(await readFile(EXAMPLE, "utf8"));
  config = join(folder, "config.yaml");
  parent = join(folder, ".tinker-rl", "runs");
});

const folderOf = (sweep: string, name: string) => join(parent, `${sweep}.learning_rate_${name}`);

function sweep(name: string, ...flags: readonly string[]): readonly string[] {
  return ["sweep", config, ...GRID, ...SHORT, `--run_name=${name}`, ...flags];
}

it("gives the same results as separate runs of the same settings, also with two at once", async () => {
  const { code, stdout, stderr } = await runProgram(sweep("pair", "--parallel", "2", "--json"), {});
  expect(code, stderr).toBe(0);
  const { runs } = JSON.parse(stdout);
  expect(runs).toMatchObject(
    NAMES.map((name) => ({ state: "done", steps: 3, folder: folderOf("pair-sweep", name) })),
  );
  expect(runs[2].settings).toEqual({ learning_rate: "8e-3", seed: "1" });
  const alone = ["train", config, ...SHORT, "--learning_rate=8e-3", "--seed=1"];
  expect((await runProgram([...alone, "--run_name=alone"], {})).code).toBe(0);
  const ordinary = await trained(join(parent, "alone"));
  expect(ordinary.rows).toHaveLength(3);
  expect(await trained(folderOf("pair-sweep", "8e-3.seed_1"))).toEqual(ordinary);
  expect(await trained(folderOf("pair-sweep", "8e-3.seed_2"))).not.toEqual(ordinary);
}, 240_000);

it("halves: the best run stops, goes on, and gives what it gives without stopping", async () => {
  const line = ["--grid", "learning_rate=2e-3,8e-3", "--seed=1", "--run_name=half"];
  const args = ["sweep", config, ...line, ...SHORT, "--halve", "2", "--json"];
  const { code, stdout, stderr } = await runProgram(args, {});
  expect(code, stderr).toBe(0);
  const { runs } = JSON.parse(stdout) as { runs: { state: string; steps: number }[] };
  const states = runs.map(({ state, steps }) => `${state} ${steps}`);
  expect(states.toSorted()).toEqual(["done 3", "dropped 2"]);
  const best = ["2e-3", "8e-3"][states.indexOf("done 3")];
  expect(await trained(folderOf("half-sweep", `${best}`))).toEqual(
    await trained(folderOf("pair-sweep", `${best}.seed_1`)),
  );
}, 240_000);

it.skipIf(process.platform === "win32")(
  "continues after a kill in the middle, and gives what an undisturbed one gives",
  async () => {
    const second = folderOf("killed-sweep", "2e-3.seed_2");
    await killedWhen(sweep("killed"), {}, () => isInSecondStep(second));

    const shown = await runProgram(sweep("killed", "--show", "--json"), {});
    const states = JSON.parse(shown.stdout).runs.map(({ state }: { state: string }) => state);
    expect(states).toEqual(["done", "interrupted", "not-started", "not-started"]);

    const { code, stdout, stderr } = await runProgram(sweep("killed"), {});
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("4 runs, 2 to start, 1 to resume, 1 done");
    for (const name of NAMES) {
      const [resumed, undisturbed] = await Promise.all(
        ["killed-sweep", "pair-sweep"].map((of) => trained(folderOf(of, name))),
      );
      expect(resumed?.rows, name).toHaveLength(3);
      expect(resumed, name).toEqual(undisturbed);
    }
    const run = JSON.parse(await readFile(join(second, "run.json"), "utf8"));
    expect(run).toMatchObject({ attempt: 2, phase: "done", sweep: { name: "killed-sweep" } });
  },
  240_000,
);

it("is rejected as a whole before anything starts", async () => {
  const faulty = ["sweep", config, "--grid", "seed=1,two", "--grid", "learning_rat=1e-5"];
  const { code, stderr } = await runProgram(faulty, {});
  expect(code).toBe(2);
  expect(stderr).toMatch(/^--grid learning_rat=1e-5: error: TRL110/m);
  expect(stderr).toMatch(/^--grid seed=two: error: TRL1/m);
  expect((await readdir(parent)).filter((name) => name.startsWith("config"))).toEqual([]);
});
