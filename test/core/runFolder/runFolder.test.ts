import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { isAppError } from "../../../src/core/errors.ts";
import { evalPath, runPaths, stepPaths } from "../../../src/core/runFolder/files/layout.ts";
import { isRunInUse, readRunFile } from "../../../src/core/runFolder/runFile.ts";
import { resumeRun, startRun } from "../../../src/core/runFolder/runFolder.ts";
import type { RunLease } from "../../../src/core/runFolder/runLease.ts";
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

test("a second run of the same name gets the next free folder", async () => {
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

test("the default parent is kept out of the user's repository, another parent is left alone", async () => {
  const { parts, fileSystem } = workplace();
  await startRun(parts, newRun);
  await startRun(parts, { ...newRun, parent: "elsewhere" });
  expect(await fileSystem.readText(`${newRun.parent}/.gitignore`)).toBe("*\n");
  expect(await fileSystem.size("elsewhere/.gitignore")).toBeNull();
});

test("a second trainer on a living run is refused", async () => {
  const { resume } = await ranRun([]);
  await expect(resume(0, true)).rejects.toSatisfy((error) => isAppError(error, "run-in-use"));
});

test("the refusal of a run in use names the computer of its trainer", async () => {
  const { fileSystem, resume } = await ranRun([]);
  const file = await readRunFile(fileSystem, folder);
  const elsewhere = JSON.stringify({ ...file, host: "gpu-7" });
  await fileSystem.writeAtomic(runPaths(folder).runFile, elsewhere);
  await expect(resume(0, true)).rejects.toThrow(/by process \d+ on gpu-7 \(\w+\)\. Stop it first/);
});

test("a run is free when it ended, its heartbeat is far from now or its process is gone", async () => {
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

test("a folder without run.json cannot be resumed, a damaged one is named", async () => {
  const { fileSystem, resume } = workplace();
  await expect(resume(0)).rejects.toSatisfy((error) => isAppError(error, "run-not-found"));
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
        // The weights after `step` completed steps are those that the resume begins with.
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

test("an interrupted evaluation goes on after a resume, and is played again where its settings changed", async () => {
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

test("a resume keeps the rows that were set aside before, and reads a line without an end in pieces", async () => {
  const { fileSystem, resume } = await ranRun([0, 1]);
  const aside = `${folder}/superseded/attempt-1/metrics.jsonl`;
  const read = vi.spyOn(fileSystem, "readText");
  await fileSystem.append(aside, `{"step":7}\n${"\0".repeat(20 * 1024 * 1024)}\n`);
  await resume(1);
  expect(read.mock.calls.map(([path]) => path)).not.toContain(aside);
  expect(await stepsIn(fileSystem, `${folder}/superseded/attempt-1`)).toEqual([1, 7]);
});

test("a resume that loses power at any write is completed by the next one", async () => {
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

test("a half-written last line is cut off before anything is added to it", async () => {
  const { fileSystem, resume } = await ranRun([0, 1]);
  await fileSystem.append(runPaths(folder).metrics, '{"step":2,"lo');
  await fileSystem.append(runPaths(folder).events, '{"kind":"a"}\n{"kind"');
  await resume(5);
  expect(await fileSystem.readText(runPaths(folder).events)).toBe('{"kind":"a"}\n');
  expect(await stepsIn(fileSystem, folder)).toEqual([0, 1]);
  expect(await fileSystem.readText(runPaths(folder).metrics)).toMatch(/}\n$/);
});

test("heartbeats go on until they are stopped, and outlive a write that fails", async () => {
  const { parts, clock, fileSystem } = workplace();
  const lease = await startRun(
    { ...parts, clock: { ...clock, sleep: async () => clock.advance(5_000) } },
    newRun,
  );
  const started = lease.file.heartbeatAtMs;
  const stop = new AbortController();
  const warnings: string[] = [];
  const quiet = () => undefined;
  const warn = (text: string) => {
    warnings.push(text);
    stop.abort();
  };
  fileSystem.allowedWrites = 3;
  await lease.keepAlive({ debug: quiet, info: quiet, error: quiet, warn }, stop.signal, quiet);
  expect(lease.file.heartbeatAtMs).toBe(started + 15_000);
  expect(warnings).toEqual(["The heartbeat could not be written."]);
});

test("an attempt that another trainer has taken over ends without writing", async () => {
  const { parts, clock, fileSystem, resume } = await ranRun([0, 1]);
  const lease = await resume(2);
  clock.advance(60_000);
  const other = await resumeRun(
    { ...parts, isProcessAlive: () => true },
    { ...starter, pid: 43, host: "here", folder, step: 2 },
  );
  const taken = (error: unknown) => isAppError(error, "run-taken-over");
  await expect(lease.update({ phase: "running" })).rejects.toSatisfy(taken);
  expect(lease.isOver).toBe(true);
  await lease.end({ phase: "failed" });
  expect(await readRunFile(fileSystem, folder)).toEqual(other.file);
});

test("an attempt that was taken over names the process that has the run, and its computer", async () => {
  const { parts, clock, resume } = await ranRun([0, 1]);
  const lease = await resume(2);
  clock.advance(60_000);
  const other = { ...starter, pid: 43, host: "gpu-7", folder, step: 2 };
  await resumeRun({ ...parts, isProcessAlive: () => true }, other);
  const update = lease.update({ phase: "running" });
  await expect(update).rejects.toThrow(/^Process 43 on gpu-7 \(\w+\) has taken over/);
});

test("an earlier attempt's write that ends late does not take the run from the later one", async () => {
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
  const quiet = () => undefined;
  await lease.keepAlive(
    { debug: quiet, info: quiet, warn: quiet, error: quiet },
    new AbortController().signal,
    (error) => errors.push(error),
  );
  expect(errors).toEqual([expect.objectContaining({ code: "run-taken-over" })]);
});

test("a change of phase is written at once", async () => {
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
