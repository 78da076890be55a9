import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import { MAX_BYTES } from "../../src/core/runFolder/files/wholeFiles.ts";
import { readState, readStates, writeState } from "../../src/core/runFolder/state.ts";
import { readRun } from "../../src/core/runs/runList.ts";
import { planResume } from "../../src/trainer/resume.ts";
import type { PlantedHome } from "../fakes/plantedHome.ts";
import { beforeEachPlantedRun } from "../fakes/plantedHome.ts";
import { aRunState } from "../trainer/runState.ts";

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

  it("a resume goes on from state.prev.json and says so", async () => {
    const request = { folder, owner: "terminal" as const, watch: () => undefined };
    const { start, loaded } = await planResume(planted.fileSystem, request);
    expect(start.step).toBe(1);
    expect(loaded.warnings.join()).toMatch(/state\.json .*cannot be read.*state\.prev\.json/);
  });

  it("the list of runs says so too, and what a resume repeats", async () => {
    const liveness = { nowMs: 0, isProcessAlive: () => false };
    const run = await readRun(planted.fileSystem, { name: "demo", folder }, liveness);
    expect(run).toMatchObject({ phase: "stopped", repeats: 2 });
    expect(run?.problem).toMatch(/state\.json .*cannot be read/);
  });

  it("the next save keeps the last one that can be read", async () => {
    const files = planted.fileSystem.within(folder);
    await writeState(files, folder, aRunState(3));
    const { states } = await readStates(files, folder);
    expect(states.map(({ step }) => step)).toEqual([3, 1]);
  });
});

it("two states that are too large are an error that names them", async () => {
  for (const name of ["state.json", "state.prev.json"]) {
    await truncate(join(folder, name), MAX_BYTES.state + 1);
  }
  await expect(readState(planted.fileSystem.within(folder), folder)).rejects.toMatchObject({
    code: "state-invalid",
  });
});
