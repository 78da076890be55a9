import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/core/config/parse.ts";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import { systemClock } from "../../src/node/clock.ts";
import { beginSweep, loadSweep } from "../../src/node/loadSweep.ts";
import { type SweepStart, sweepStart } from "../../src/node/runSweep.ts";
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
  return loadSweep(ports, { configPath, grid: [], overrides: [], halve: null });
}

/** All stages are done, with what they began with in their overrides. */
async function trainAll(text = STAGES, lastWith = "init_from=.tinker-rl/runs/imitate") {
  const all = await loaded(text);
  const { lease } = await beginSweep(ports, all);
  await lease.release();
  const source = { run: ".tinker-rl/runs/gather", where: "reward >= 1", max_per_task: 2 };
  const begunWith = [
    [],
    ["init_from=.tinker-rl/runs/first"],
    ["init_from=.tinker-rl/runs/first", `data=${JSON.stringify([source])}`],
    [lastWith],
  ];
  for (const { overrides, sweep } of all.rows.map((row) => sweepStart(lease, all, row, null))) {
    const name = ["first", "gather", "imitate", "reinforce"][sweep.combination] ?? "";
    const run = join(all.parent, name);
    const paths = runPaths(run);
    const own = [...overrides, ...(begunWith[sweep.combination] ?? [])];
    const parsed = parseConfig(text, { path: configPath, overrides: own });
    if (!parsed.ok) throw new Error("The configuration of each stage is valid.");
    const runFile = aRunFile({ name, phase: "done", configPath, sweep });
    await ports.fileSystem.makeDirectory(run);
    await writeFile(paths.runFile, JSON.stringify(runFile));
    await writeFile(paths.overrides, JSON.stringify(own));
    await writeFile(paths.resolvedConfig, JSON.stringify(parsed.config));
  }
}

/** A run that ended before its first step: it has only the files from its start. */
async function failAtStart({ name, sweep }: { name: string; sweep: SweepStart }) {
  const all = await loaded(STAGES);
  const run = join(all.parent, name);
  const paths = runPaths(run);
  const parsed = parseConfig(STAGES, { path: configPath, overrides: sweep.overrides });
  if (!parsed.ok) throw new Error("The configuration of each stage is valid.");
  const ending = { code: "config-invalid", message: "It could not begin." };
  const runFile = aRunFile({ name, phase: "failed", configPath, sweep: sweep.sweep, ending });
  await ports.fileSystem.makeDirectory(run);
  await writeFile(paths.runFile, JSON.stringify(runFile));
  await writeFile(paths.overrides, JSON.stringify(sweep.overrides));
  await writeFile(paths.resolvedConfig, JSON.stringify(parsed.config));
  return run;
}

it("a run that is beyond the stop of its configuration trains to its end", async () => {
  const all = await loaded(STAGES);
  const [row] = all.rows;
  if (row === undefined) throw new Error("There are several stages.");
  const { combination } = row;
  const config = { ...combination.config, stop_at_step: 3 };
  const known = { file: { id: "s", name: "st" } } as Parameters<typeof sweepStart>[0]; // all that it reads
  const stopAfter = (steps: number): string | undefined => {
    const run = { steps } as typeof row.run; // all that it reads
    return sweepStart(
      known,
      all,
      { combination: { ...combination, config }, run },
      null,
    ).resumeOverrides.at(-1);
  };
  expect([2, 3, 4].map(stopAfter)).toEqual([
    "stop_at_step=3",
    "stop_at_step=3",
    "stop_at_step=null",
  ]);
});

describe("a stage that ended before its first step", () => {
  async function failed() {
    const all = await loaded(STAGES);
    const { lease } = await beginSweep(ports, all);
    await lease.release();
    const [first] = all.rows;
    if (first === undefined) throw new Error("There are several stages.");
    return failAtStart({ name: "first", sweep: sweepStart(lease, all, first, null) });
  }

  it("is restarted with the current file, in a separate folder", async () => {
    const run = await failed();
    const before = await readFile(runPaths(run).resolvedConfig, "utf8");
    const corrected = STAGES.replace("first: { max_steps: 2 }", "first: { max_steps: 1 }");
    const { lease, rows } = await beginSweep(ports, await loaded(corrected));
    await lease.release();
    expect(rows[0]?.run).toBeNull();
    expect(await readFile(runPaths(run).resolvedConfig, "utf8")).toBe(before);
  });

  it("is resumed if the file has not changed", async () => {
    const run = await failed();
    const { lease, rows } = await beginSweep(ports, await loaded(STAGES));
    await lease.release();
    expect(rows[0]?.run?.folder).toBe(run);
  });

  it("rejects another file once it has saved something", async () => {
    const run = await failed();
    await writeFile(runPaths(run).checkpoints, "{}\n");
    const corrected = STAGES.replace("first: { max_steps: 2 }", "first: { max_steps: 1 }");
    await expect(beginSweep(ports, await loaded(corrected))).rejects.toThrow(
      /max_steps changed since first was trained\. Undo/,
    );
  });
});

it("stages do not start if a later one names missing weights", async () => {
  const text = STAGES.replace(
    "reinforce: { max_steps: 3 }",
    "reinforce: { max_steps: 3, teacher: { checkpoint: gone } }",
  );
  const all = await loaded(text);
  await expect(beginSweep(ports, all)).rejects.toMatchObject({
    code: "run-not-found",
    configPath: "teacher.checkpoint",
  });
  expect(await ports.fileSystem.list(all.parent)).toEqual([]);
});

describe("finished stages", () => {
  it("are kept if the file has not changed", async () => {
    await trainAll();
    const { lease } = await beginSweep(ports, await loaded(STAGES));
    await lease.release();
  });

  it.each([[], ["imitate"]])("are kept where one begins after a step of %s", async (...deleted) => {
    const text = STAGES.replace(
      "{ max_steps: 3 }",
      '{ max_steps: 3, init_from: "stage:imitate@2" }',
    );
    await trainAll(text, "init_from=.tinker-rl/runs/imitate@2");
    const { parent } = await loaded(text);
    for (const name of deleted) await rm(join(parent, name), { recursive: true });
    const { lease } = await beginSweep(ports, await loaded(text));
    await lease.release();
  });

  it.each([[["gather"]], [["first"]], [["imitate"]], [["first", "gather", "imitate"]]])(
    "are kept if runs of earlier stages were deleted: %s",
    async (names) => {
      await trainAll();
      const { parent } = await loaded(STAGES);
      for (const name of names) await rm(join(parent, name), { recursive: true });
      const { lease } = await beginSweep(ports, await loaded(STAGES));
      await lease.release();
    },
  );

  it("reject another file even if a run was deleted", async () => {
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
    ["{ max_steps: 3 }", "{ max_steps: 3, init_from: null }", /init_from .* reinforce/],
    ["{ max_steps: 3 }", '{ max_steps: 3, init_from: "stage:imitate@2" }', /init_from .* reinf/],
    [
      "{ max_steps: 3 }",
      '{ max_steps: 3, kl_reference: "stage:imitate" }',
      /kl_reference .* reinf/,
    ],
    [
      "{ max_steps: 3 }",
      '{ max_steps: 3, teacher: { checkpoint: "stage:first" } }',
      /teacher .* rei/,
    ],
    ["  reinforce", "  between: { max_steps: 1 }\n  reinforce", /init_from .* since reinforce/],
  ])("reject a file that starts them from something else: %s → %s", async (was, is, message) => {
    await trainAll();
    const beginning = beginSweep(ports, await loaded(STAGES.replace(was, is)));
    await expect(beginning).rejects.toThrow(message);
  });
});
