import { execFileSync } from "node:child_process";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { MAX_BYTES } from "../../../../src/core/runFolder/files/wholeFiles.ts";
import { readRunModel } from "../../../../src/core/runFolder/runModel.ts";
import { readRun } from "../../../../src/core/runs/runList.ts";
import { validateConfigFile } from "../../../../src/host/task/taskProvider.ts";
import { readLaunch } from "../../../../src/node/launch/launchStore.ts";
import { readPlainText } from "../../../../src/node/readPlainText.ts";
import { readConfigView } from "../../../../src/server/dashboard/configView.ts";
import { readConfigFacts } from "../../../../src/server/dashboard/runFacts.ts";
import { planResume } from "../../../../src/trainer/resume/resume.ts";
import { beforeEachPlantedRun, type PlantedHome } from "../../../fakes/plantedHome.ts";

/** A sparse file: it uses no disk space and reads as zeros. */
const ENDLESS = 5_000_000_000;
const LIVENESS = { nowMs: 0, isProcessAlive: () => false };

vi.mock("vscode", () => ({}));

let planted: PlantedHome;
let run: string;

beforeEachPlantedRun((home, path) => {
  planted = home;
  run = path;
});

const listed = () => readRun(planted.fileSystem, { name: "demo", folder: run }, LIVENESS);

describe("a huge file in a run", () => {
  it.each(["run.json", "state.json"])("%s counts as damage of that run", async (name) => {
    await truncate(join(run, name), ENDLESS);
    expect((await listed())?.problem).toContain(`${name} is larger than`);
  });

  it("config.resolved.json and config.yaml do not prevent the rest from being shown", async () => {
    const files = planted.fileSystem.within(run);
    for (const name of ["config.resolved.json", "config.yaml", "overrides.json"]) {
      await writeFile(join(run, name), "");
      await truncate(join(run, name), ENDLESS);
    }
    expect(await readRunModel(files, run)).toBeNull();
    expect(await readConfigFacts(planted.fileSystem, run)).toBeNull();
    expect(await readConfigView(files, run, String)).toEqual({ entries: [], overrides: [] });
    const resuming = planResume(planted.fileSystem, {
      folder: run,
      owner: "terminal",
    });
    await expect(resuming).rejects.toMatchObject({ code: "file-too-large" });
  });
});

describe("a device or a pipe in place of a file", () => {
  it.each(["device", "pipe"])("%s: a configuration counts as missing", async (kind) => {
    const path = join(planted.root, "tinker-config.yaml");
    if (kind === "device") await symlink("/dev/zero", path);
    else execFileSync("mkfifo", [path]);
    expect(await readPlainText(path, MAX_BYTES.config)).toBeNull();
    const printed: string[] = [];
    expect(await validateConfigFile(path, [], (text) => printed.push(text))).toBe(2);
    expect(printed.join()).toContain("the configuration file does not exist");
  });

  it("in a launch folder is not a launch", async () => {
    const folder = join(planted.root, "launch");
    await mkdir(folder);
    await symlink("/dev/zero", join(folder, "request.json"));
    expect(await readLaunch(folder)).toBeNull();
  });
});
