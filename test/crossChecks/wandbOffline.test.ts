/** The official `wandb sync` accepts our client's offline files, and leaves the same on the server as for its own files. */

import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileSystem } from "../../src/core/ports.ts";
import { flattenMetrics, type MetricsTree } from "../../src/core/runFolder/metrics/metricsTree.ts";
import { openOfflineRun } from "../../src/core/tracking/wandb/offline/offlineRun.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { sha256 } from "../../src/node/hash.ts";
import { preparePython } from "../conformance/python.ts";
import { readLines, runFolderWith } from "../integration/localRun.ts";
import { runProgram, startProgram } from "../integration/trainProgram.ts";
import { type RunStates, readScenario, WANDB_KIT } from "./wandbKit.ts";
import { initOf, NOT_ASKED_FOR, playAttempt } from "./wandbScenario.ts";

const run = promisify(execFile);

const python =
  WANDB_KIT === ""
    ? null
    : await preparePython({
        name: "wandb",
        requirements: pathToFileURL(join(WANDB_KIT, "requirements.txt")),
        versions: "3.9 to 3.13",
      });

describe.skipIf(python === null)("an offline run", () => {
  const tool = join(dirname(python ?? ""), "wandb");
  const fileSystem = createFileSystem();
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tinker-rl-wandb-"));
  });
  afterAll(async () => {
    await fileSystem.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function sync(folders: readonly string[], ...more: readonly string[]): Promise<string> {
    const args = [join(WANDB_KIT, "offline", "check.mjs"), ...folders, "--wandb", tool, ...more];
    const { stdout } = await run(process.execPath, args).catch(
      (error: { readonly stdout: string }) => error,
    );
    return stdout;
  }

  it("equals the official client's after `wandb sync`", { timeout: 300_000 }, async () => {
    const folders = await fileScenario(fileSystem, folder);
    const expected = join(WANDB_KIT, "states", "official-offline-0.31.0.json");
    const ignored = NOT_ASKED_FOR.flatMap((path) => ["--ignore", path]);
    const reported = await sync(folders, "--expect", expected, ...ignored);
    expect(reported.trim()).toMatch(/0 problems, 0 differences$/);
  });

  it("has all rows of a run that was killed, and of its resume", {
    timeout: 300_000,
  }, async () => {
    const work = await runFolderWith(trainConfig(40));
    const path = join(work, "config.yaml");
    const child = startProgram(["train", "--config_path", path], {});
    child.stdout?.on("data", (text) => {
      if (String(text).includes("step  3")) child.kill("SIGKILL");
    });
    await new Promise((resolve) => child.once("close", resolve));
    await writeFile(path, trainConfig(5));
    const run = join(work, ".tinker-rl", "runs", "run");
    expect(await runProgram(["resume", run], {})).toMatchObject({ code: 0 });
    const folders = (await readdir(join(run, "wandb"))).map((name) => join(run, "wandb", name));
    expect(folders).toHaveLength(2);
    const statePath = join(work, "state.json");
    expect((await sync(folders.sort(), "--state", statePath)).trim()).toMatch(/0 problems/);
    const states: RunStates = JSON.parse(await readFile(statePath, "utf8"));
    const [reported] = Object.values(states.runs);
    const rows = await readLines(join(run, "metrics.jsonl"));
    expect(reported?.history.map(({ _step, rollouts: _, ...row }) => row)).toEqual(
      rows.map((row) => flattenMetrics(row as MetricsTree)),
    );
    expect(reported).toMatchObject({ state: "finished", problems: [], displayName: "run" });
    expect(reported?.summary).toMatchObject({ step: 4 });
    expect(states.violations).toEqual([]);
    await rm(work, { recursive: true });
  });

  it("keeps records that span several blocks", { timeout: 120_000 }, async () => {
    const parts = {
      fileSystem: fileSystem.within(folder),
      parent: folder,
      clock: systemClock,
      sha256,
      producer: "test",
    };
    const scenario = await readScenario();
    const [attempt] = scenario.attempts;
    if (attempt === undefined) throw new Error("The scenario has no attempt.");
    const init = { ...initOf(scenario, attempt), id: "blocks01" };
    const start = { nextStep: 0, runtimeS: 0, startedAtMs: Date.now(), isResumed: false };
    const long = await openOfflineRun(parts, init, start);
    for (let i = 0; i < 60; i += 1) {
      long.log(
        { step: i, text: "x".repeat(i < 10 ? 70_000 : 700 + 37 * i) },
        { timeMs: Date.now() },
      );
      if (i % 5 === 0) await long.flush();
    }
    await long.finish(0);
    expect((await sync([long.folder])).trim()).toMatch(/60 rows, finished — 0 problems/);
  });
});

function trainConfig(steps: number): string {
  return `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 4
max_steps: ${steps}
save_every: 2
rolling_save_every: 1
wandb: offline
wandb_project_name: filed
`;
}

/** Plays every attempt of the scenario into a separate folder. */
async function fileScenario(fileSystem: FileSystem, parent: string): Promise<readonly string[]> {
  const scenario = await readScenario();
  const parts = {
    fileSystem: fileSystem.within(parent),
    parent,
    clock: systemClock,
    sha256,
    producer: "tinker-rl-test",
  };
  const folders: string[] = [];
  for (const attempt of scenario.attempts) {
    const isResumed = attempt.init.resume !== null;
    const start = {
      nextStep: isResumed ? 210 : 0,
      runtimeS: 0,
      startedAtMs: Date.now(),
      isResumed,
    };
    const run = await openOfflineRun(parts, initOf(scenario, attempt), start);
    await playAttempt(run, attempt);
    folders.push(run.folder);
  }
  return folders;
}
