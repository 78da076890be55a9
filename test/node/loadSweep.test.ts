import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/core/config/parse.ts";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import { systemClock } from "../../src/node/clock.ts";
import { beginSweep, loadSweep, sweepStarts } from "../../src/node/loadSweep.ts";
import { aRunFile } from "../core/runFolder/builders.ts";
import { filesOnDisk, folderOfEachTest } from "../fakes/onDisk.ts";
import { silentLog } from "../fakes/silentLog.ts";

const STAGES = `
model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4 }
batch_size: 4
stages:
  first: { max_steps: 2 }
  gather: { method: collect, max_tasks: 40 }
  imitate:
    method: sft
    data: [{ run: "stage:gather", where: reward >= 1, max_per_task: 2 }]
    max_steps: 3
  reinforce: { max_steps: 3 }
`;

const ports = { fileSystem: filesOnDisk(), clock: systemClock, log: silentLog };
const folder = folderOfEachTest();
const configPath = join(folder, "st.yaml");

async function loaded(text: string) {
  await writeFile(configPath, text);
  return loadSweep(ports, { configPath, grid: [], overrides: [] });
}

/** All stages are done, with what they began with in their overrides. */
async function trainAll(): Promise<void> {
  const all = await loaded(STAGES);
  const lease = await beginSweep(ports, all);
  await lease.release();
  const source = { run: ".tinker-rl/runs/gather", where: "reward >= 1", max_per_task: 2 };
  const begunWith = [
    [],
    ["init_from=.tinker-rl/runs/first"],
    ["init_from=.tinker-rl/runs/first", `data=${JSON.stringify([source])}`],
    ["init_from=.tinker-rl/runs/imitate"],
  ];
  for (const { overrides, sweep } of sweepStarts(lease, all)) {
    const name = ["first", "gather", "imitate", "reinforce"][sweep.combination] ?? "";
    const run = join(all.parent, name);
    const paths = runPaths(run);
    const own = [...overrides, ...(begunWith[sweep.combination] ?? [])];
    const parsed = parseConfig(STAGES, { path: configPath, overrides: own });
    if (!parsed.ok) throw new Error("The configuration of each stage is valid.");
    const runFile = aRunFile({ name, phase: "done", configPath, sweep });
    await ports.fileSystem.makeDirectory(run);
    await writeFile(paths.runFile, JSON.stringify(runFile));
    await writeFile(paths.overrides, JSON.stringify(own));
    await writeFile(paths.resolvedConfig, JSON.stringify(parsed.config));
  }
}

describe("stages that are done", () => {
  it("are kept where the file has not changed", async () => {
    await trainAll();
    const lease = await beginSweep(ports, await loaded(STAGES));
    await lease.release();
  });

  it.each([[["gather"]], [["first"]], [["imitate"]], [["first", "gather", "imitate"]]])(
    "are kept where runs of earlier stages were deleted: %s",
    async (names) => {
      await trainAll();
      const { parent } = await loaded(STAGES);
      for (const name of names) await rm(join(parent, name), { recursive: true });
      const lease = await beginSweep(ports, await loaded(STAGES));
      await lease.release();
    },
  );

  it("refuse another file where a run was deleted, too", async () => {
    await trainAll();
    const { parent } = await loaded(STAGES);
    await rm(join(parent, "gather"), { recursive: true });
    const changed = STAGES.replace("max_per_task: 2", "max_per_task: 1");
    await expect(beginSweep(ports, await loaded(changed))).rejects.toThrow(/data changed since/);
  });

  it.each([
    ["max_per_task: 2", "max_per_task: 1", /data changed since imitate was trained/],
    ["stage:gather", "gathered", /data changed since imitate was trained/],
    ["method: sft", "method: sft\n    init_from: other", /init_from changed since imitate/],
    ["{ max_steps: 3 }", '{ max_steps: 3, init_from: "stage:first" }', /init_from .* reinforce/],
    ["  reinforce", "  between: { max_steps: 1 }\n  reinforce", /init_from .* since reinforce/],
  ])("refuse a file that begins them with something else: %s → %s", async (was, is, message) => {
    await trainAll();
    const beginning = beginSweep(ports, await loaded(STAGES.replace(was, is)));
    await expect(beginning).rejects.toThrow(message);
  });
});
