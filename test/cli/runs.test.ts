import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import type { RunFile } from "../../src/shared/runFile.ts";
import { textWith } from "../core/config/configText.ts";
import { aRunFile } from "../core/runFolder/builders.ts";
import { createStillClock } from "../core/runFolder/memoryFileSystem.ts";
import { folderOfEachTest } from "../fakes/onDisk.ts";
import { aRunState } from "../trainer/runState.ts";
import { createFakeProgram } from "./fakeProgram.ts";
import { createFakeTerminal } from "./fakeTerminal.ts";

const clock = createStillClock();
const MINUTE_MS = 60_000;
const cwd = folderOfEachTest();

interface RunWishes extends Partial<RunFile> {
  /** Completed steps. */
  readonly steps?: number;
  /** Steps in the last checkpoint; null = none was saved. */
  readonly saved?: number | null;
}

async function aRun(parent: string, name: string, options: RunWishes): Promise<void> {
  const { steps = 3, saved = null, ...changes } = options;
  const folder = join(cwd, parent, name);
  const file: RunFile = aRunFile({
    runId: name,
    name,
    startedAtMs: clock.now(),
    heartbeatAtMs: clock.now(),
    phase: "running",
    configPath: "/project/run.yaml",
    ...changes,
  });
  const rows = Array.from({ length: steps }, (_, step) => {
    return JSON.stringify({ step, rollout: { reward: { mean: step / 4 } } });
  });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "run.json"), JSON.stringify(file));
  await writeFile(join(folder, "metrics.jsonl"), [...rows, '{"step": 9'].join("\n"));
  if (saved !== null) await writeFile(join(folder, "state.json"), JSON.stringify(aRunState(saved)));
}

async function listed(
  place: string | null,
  fileSystem = createFileSystem(),
): Promise<readonly string[]> {
  const out = createFakeTerminal({ columns: 100 });
  const invocation = { program: "tinker-rl", cwd };
  const isProcessAlive = (pid: number): boolean => pid === 1;
  const program = createFakeProgram({ fileSystem, clock, invocation, isProcessAlive });
  await runProgram({ ...program, out }, place === null ? ["runs"] : ["runs", place]);
  await fileSystem.close();
  return out.lines;
}

test("runs are listed with their progress and the steps a resume would repeat, newest first", async () => {
  const at = new Date(2026, 2, 5, 14, 7).getTime();
  const place = ".tinker-rl/runs";
  await aRun(place, "old", { phase: "done", steps: 4, saved: 4, startedAtMs: at });
  await aRun(place, "fresh", { startedAtMs: at + MINUTE_MS, saved: 1 });
  await aRun(place, "gone", { startedAtMs: at - MINUTE_MS, pid: 2, steps: 0 });
  await aRun(place, "stale", {
    startedAtMs: at - 2 * MINUTE_MS,
    heartbeatAtMs: clock.now() - MINUTE_MS,
    saved: 2,
  });
  expect(await listed(null)).toEqual([
    ".tinker-rl/runs",
    "run    phase        steps  reward  last start        repeats",
    "fresh  running          3    0.50  2026-03-05 14:08        2",
    "old    done             4    0.75  2026-03-05 14:07        0",
    "gone   interrupted      0       –  2026-03-05 14:06        –",
    "stale  interrupted      3    0.50  2026-03-05 14:05        1",
    "",
    "Look closer:",
    "  tinker-rl show .tinker-rl/runs/fresh",
  ]);
});

test("a run whose last state expires shows when, and the steps a resume repeats then", async () => {
  await aRun("logs", "cut", { phase: "failed", steps: 7 });
  await aRun("logs", "going", {});
  const expires_at = new Date(clock.now() + 60 * MINUTE_MS).toISOString();
  const paths = { step: 5, state_path: "tinker://a/weights/rolling_000005", sampler_path: null };
  const state = aRunState(5, { last_checkpoint: { ...paths, expires_at } });
  for (const name of ["cut", "going"]) {
    await writeFile(join(cwd, "logs", name, "state.json"), JSON.stringify(state));
  }
  const reported = (await listed("logs")).filter((line) => line.includes("expires"));
  expect(reported).toEqual([
    expect.stringMatching(
      /^cut: the last state expires at .{16}; after that, nothing is left to resume from\.$/,
    ),
  ]);
});

test("rollouts waiting for upload are counted if there are any", async () => {
  await aRun("logs", "left", { phase: "done" });
  await aRun("logs", "plain", { phase: "done" });
  const lines = [
    '{"kind":"opened","attempt":1,"waiting":0}',
    '{"kind":"queued","attempt":1,"step":0,"waiting":16}',
    '{"kind":"sending","attempt":1,"step":0,"group":0,"rollout":0,"id":"a","name":"b"}',
    '{"kind":"sent","step":0,"group":0,"rollout":0,"id":"a","waiting":15}',
    '{"kind":"sending","attempt":1,"step":0,"gro',
  ];
  await writeFile(join(cwd, "logs", "left", "upload.jsonl"), lines.join("\n"));
  const ends = (await listed("logs")).slice(1, 4).map((line) => line.split(/\s{2,}/).at(-1));
  expect(ends.sort()).toEqual(["15", "to upload", "–"]);
});

test("a run of another version is listed, plain files and other folders are not", async () => {
  await aRun("logs", "new", {});
  await writeFile(join(cwd, "logs", "new", "run.json"), '{"schemaVersion": 2}');
  await writeFile(join(cwd, "logs", "notes.txt"), "");
  await mkdir(join(cwd, "logs", "empty"));
  const lines = await listed("logs");
  expect(lines.slice(0, 3).map((line) => line.split(/\s+/).slice(0, 2).join(" "))).toEqual([
    "logs",
    "run phase",
    "new unreadable",
  ]);
});

test("runs are found in the folder that a configuration names", async () => {
  await writeFile(join(cwd, "tinker-config.yaml"), textWith("log_path: elsewhere"));
  await writeFile(join(cwd, "broken.yaml"), textWith("seed: x"));
  await aRun("elsewhere", "one", {});
  await aRun(".tinker-rl/runs", "two", {});
  expect((await listed(null)).filter((line) => line.includes("running"))).toHaveLength(2);
  expect((await listed("tinker-config.yaml"))[0]).toBe("elsewhere");
  expect((await listed("broken.yaml"))[0]).toBe(".tinker-rl/runs");
});

test("where there are none they are looked for one level down", async () => {
  await writeFile(join(cwd, "notes.txt"), "");
  await aRun("old", "one", {});
  await aRun("project/.tinker-rl/runs", "two", {});
  const places = (await listed(null)).filter((line) => /^\w\S*$/.test(line));
  expect(places).toEqual(["old", join("project", ".tinker-rl", "runs")]);
});

test("one level down, each folder is read once", async () => {
  await aRun("old", "one", {});
  const fileSystem = createFileSystem();
  const read: string[] = [];
  const list = (path: string) => {
    read.push(path);
    return fileSystem.list(path);
  };
  await listed(null, { ...fileSystem, list });
  expect(read.filter((path) => path === join(cwd, "old"))).toHaveLength(1);
});

test("an empty result says which folders were searched", async () => {
  await mkdir(join(cwd, "empty"));
  expect(await listed("empty")).toEqual([
    `There are no runs in empty, ${join("empty", ".tinker-rl", "runs")}. Specify a folder of runs, a project or a configuration.`,
  ]);
});

test("a missing folder is an error", async () => {
  const fileSystem = createFileSystem();
  const err = createFakeTerminal();
  const program = createFakeProgram({ fileSystem, invocation: { program: "tinker-rl", cwd } });
  expect(await runProgram({ ...program, err }, ["runs", "nowhere"])).toBe(2);
  expect(err.lines).toEqual([`error: ${join(cwd, "nowhere")} does not exist. Check the path.`]);
});

test("a single run folder is listed", async () => {
  await aRun("logs", "one", {});
  await aRun("logs", "two", {});
  const lines = await listed(join("logs", "one"));
  expect(lines[0]).toBe("logs");
  expect(lines.filter((line) => line.includes("running"))).toHaveLength(1);
});

test("by default the runs of the current folder are listed, too", async () => {
  await aRun(".", "here", {});
  expect((await listed(null))[2]).toMatch(/^here /);
});
