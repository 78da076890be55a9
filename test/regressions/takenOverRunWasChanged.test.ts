import { expect, it } from "vitest";
import { AppError } from "../../src/core/errors.ts";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import { HEARTBEAT_MS } from "../../src/core/runFolder/runFile.ts";
import { resumeRun, startRun } from "../../src/core/runFolder/runFolder.ts";
import { createMemoryFileSystem, createStillClock } from "../core/runFolder/memoryFileSystem.ts";
import { duringRollouts, prepareRun } from "../core/training/loop/prepareRun.ts";

const starter = { pid: 41, host: "here", owner: "terminal", configPath: "config.yaml" } as const;

async function startedRun() {
  const fileSystem = createMemoryFileSystem();
  const { append } = fileSystem;
  const suspended = { duringAppend: async () => {} };
  fileSystem.append = async (...args) => {
    await suspended.duringAppend();
    return append(...args);
  };
  const clock = createStillClock();
  const options = { fileSystem, clock, isProcessAlive: () => true };
  const run = { ...starter, parent: "runs", name: "first", runId: "id-1" };
  const lease = await startRun(options, run);
  const { folder } = lease;
  const takeOver = () => resumeRun(options, { ...starter, pid: 42, host: "here", folder, step: 0 });
  return { clock, fileSystem, lease, paths: runPaths(folder), suspended, takeOver };
}

// Only a step's row was checked: lines of rollouts, tokens and saves of the suspended trainer stood among those of the next one.
it("a trainer that wakes up after another one took its run over changes no file of it", async () => {
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

// The line that a rollout is being sent stood in the queue of the file system; then that rollout was uploaded beside its repeat.
it("a change during which the run was taken over does not succeed, so nothing follows from it", async () => {
  const { clock, lease, paths, suspended, takeOver } = await startedRun();
  suspended.duringAppend = async () => {
    suspended.duringAppend = async () => {};
    clock.advance(60_000);
    await takeOver();
  };
  const change = lease.files.append(paths.uploads, "sending\n");
  await expect(change).rejects.toMatchObject({ code: "run-taken-over" });
});

// They were checked before they waited: the next trainer's step had a line of each rollout that was ending.
it("lines that wait behind another one stay out of a run that is taken over meanwhile", async () => {
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

it("a trainer whose heartbeat is not overdue does not ask whose run it is", async () => {
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

it("a run that was taken over is not saved by the trainer that lost it", async () => {
  const taken = new AppError("run-taken-over", "Process 42 has taken over the run.");
  let isTaken = false;
  const run = prepareRun({
    steps: null,
    wrapStore: (store) => ({
      ...store,
      addRollout: (record) => (isTaken ? Promise.reject(taken) : store.addRollout(record)),
    }),
  });
  duringRollouts(run, 2, () => {
    isTaken = true;
  });
  await expect(run.run()).rejects.toBe(taken);
  expect(run.saves()).toEqual([]);
});
