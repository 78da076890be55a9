import { truncate, writeFile } from "node:fs/promises";
import { beforeEach, describe, expect, it, test } from "vitest";
import { isAppError } from "../../../src/core/errors.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { MAX_BYTES } from "../../../src/core/runFolder/files/wholeFiles.ts";
import { readState, writeState } from "../../../src/core/runFolder/state.ts";
import { readRun } from "../../../src/core/runs/runList.ts";
import { planResume } from "../../../src/trainer/resume/resume.ts";
import { beforeEachPlantedRun, type PlantedHome } from "../../fakes/plantedHome.ts";
import { aRunState } from "../../trainer/runState.ts";
import { createMemoryFileSystem } from "./memoryFileSystem.ts";

const state = aRunState(4, { dataset: { fingerprint: "abc", cursor: 16 } });

test("a state is restored as written, and the previous one is kept", async () => {
  const fileSystem = createMemoryFileSystem();
  expect(await readState(fileSystem, "run")).toBeNull();
  await writeState(fileSystem, "run", state);
  await writeState(fileSystem, "run", { ...state, step: 5 });
  expect(await readState(fileSystem, "run")).toEqual({ ...state, step: 5 });
  fileSystem.files.delete(runPaths("run").state);
  expect(await readState(fileSystem, "run")).toEqual(state);
});

test("a state with extra fields is read", async () => {
  const fileSystem = createMemoryFileSystem();
  const older = { ...state, config_hash: "h", changed_keys: ["seed"], best_eval: null };
  await fileSystem.writeAtomic(runPaths("run").state, JSON.stringify(older));
  expect(await readState(fileSystem, "run")).toEqual(state);
});

test("a damaged state is replaced by the previous one; two damaged ones are reported", async () => {
  const fileSystem = createMemoryFileSystem();
  await writeState(fileSystem, "run", state);
  await writeState(fileSystem, "run", { ...state, step: 5 });
  await fileSystem.writeAtomic(runPaths("run").state, '{"schema_version":3,"step"');
  expect(await readState(fileSystem, "run")).toEqual(state);
  await fileSystem.writeAtomic(runPaths("run").previousState, "[]");
  await expect(readState(fileSystem, "run")).rejects.toSatisfy((error) =>
    isAppError(error, "state-invalid"),
  );
});

test("a state of another format is refused with the name of its file", async () => {
  for (const version of [1, 4]) {
    const fileSystem = createMemoryFileSystem();
    const other = JSON.stringify({ ...state, schema_version: version });
    await fileSystem.writeAtomic(runPaths("run").state, other);
    await expect(readState(fileSystem, "run")).rejects.toMatchObject({
      code: "state-format",
      message: expect.stringContaining(`run/state.json has format ${version}`),
    });
  }
});

test("a power failure at any point of a write leaves a readable state", async () => {
  for (const allowedWrites of [0, 1, 2]) {
    const fileSystem = createMemoryFileSystem();
    await writeState(fileSystem, "run", state);
    fileSystem.allowedWrites = allowedWrites;
    await writeState(fileSystem, "run", { ...state, step: 5 }).catch(() => undefined);
    expect((await readState(fileSystem, "run"))?.step).toBe(allowedWrites === 2 ? 5 : 4);
  }
});

describe("a damaged state.json of a run on disk", () => {
  let planted: PlantedHome;

  let folder: string;

  beforeEachPlantedRun((home, path) => {
    planted = home;
    folder = path;
  });

  /** A run with saves after steps 1 and 2. */
  beforeEach(async () => {
    const files = planted.fileSystem.within(folder);
    await writeState(files, folder, aRunState(1));
    await writeState(files, folder, aRunState(2));
  });

  const DAMAGES: readonly (readonly [string, (path: string) => Promise<void>])[] = [
    ["too large", (path) => truncate(path, MAX_BYTES.state + 1)],
    ["cut off", (path) => truncate(path, 100)],
    ["no JSON", (path) => writeFile(path, "\0".repeat(400))],
  ];

  describe.each(DAMAGES)("with a state.json that is %s", (_, damage) => {
    beforeEach(() => damage(runPaths(folder).state));

    it("a resume continues from state.prev.json and reports it", async () => {
      const request = { folder, owner: "terminal" as const, watch: () => undefined };
      const { start, loaded } = await planResume(planted.fileSystem, request);
      expect(start.step).toBe(1);
      expect(loaded.warnings.join()).toMatch(/state\.json .*cannot be read.*state\.prev\.json/);
    });

    it("the list of runs reports it, along with what a resume repeats", async () => {
      const liveness = { nowMs: 0, isProcessAlive: () => false };
      const run = await readRun(planted.fileSystem, { name: "demo", folder }, liveness);
      expect(run).toMatchObject({ phase: "stopped", repeats: 2 });
      expect(run?.problem).toMatch(/state\.json .*cannot be read/);
    });
  });
});
