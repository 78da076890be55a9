import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, it, vi } from "vitest";
import { noteEnvironmentCode } from "../../../src/trainer/environments/environmentCode.ts";
import { aConfig, anEnvironment } from "../../core/training/builders.ts";
import { NO_SERVER } from "../../core/training/serverBuilder.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";
import { aNotedRun } from "../notedRun.ts";

const ask = vi.hoisted(() => vi.fn());
vi.mock("node:child_process", async (original) => {
  const module = await original<typeof import("node:child_process")>();
  ask.mockImplementation(promisify(module.execFile));
  return { ...module, execFile: Object.assign(() => {}, { [promisify.custom]: ask }) };
});

const project = folderOfEachTest();
let run = aNotedRun();
beforeEach(async () => {
  run = aNotedRun();
  await mkdir(join(project, "maze", "__pycache__"), { recursive: true });
  await writeFile(join(project, "maze", "environment.py"), "print(1)");
});

/** The warnings of the next attempt. */
async function note(
  server = { ...NO_SERVER, command: ["python", "maze/environment.py"] },
): Promise<readonly string[]> {
  const config = aConfig({ environments: { maze: anEnvironment({ server }) } });
  await noteEnvironmentCode(join(project, "tinker-config.json"), { config, ...run.partsOf(1) }, 7);
  return run.warnings.splice(0);
}

it("another program or other tasks cause a warning at the next attempt", async () => {
  expect(await note()).toEqual([]);
  await writeFile(join(project, "maze", "environment.py"), "print(2)");
  expect(await note()).toEqual([expect.stringMatching(/^The code of maze has changed.*step 7/)]);
  await writeFile(join(project, "maze", "tasks.jsonl"), "{}");
  expect(await note()).toHaveLength(1);
});

it("files outside the program's folder, and files created by running it, are not changes", async () => {
  expect(await note()).toEqual([]);
  await writeFile(join(project, "tinker-config.yaml"), "batch_size: 3");
  await writeFile(join(project, "notes.txt"), "notes");
  await writeFile(join(project, "maze", "__pycache__", "environment.py"), "made");
  await writeFile(join(project, "maze", "server.log"), "line");
  expect(await note()).toEqual([]);
});

it("runs below the program's folder and the configuration are not code", async () => {
  const server = { ...NO_SERVER, command: ["maze"] };
  expect(await note(server)).toEqual([]);
  await mkdir(join(project, "runs", "one", "rollouts"), { recursive: true });
  await writeFile(join(project, "runs", "one", "run.json"), "{}");
  await writeFile(join(project, "runs", "one", "rollouts", "0000.jsonl"), "{}");
  await writeFile(join(project, "tinker-config.json"), "{}");
  expect(await note(server)).toEqual([]);
  await writeFile(join(project, "maze", "environment.py"), "print(2)");
  expect(await note(server)).toHaveLength(1);
});

it("reads the first 2,000 files", async () => {
  const names = Array.from({ length: 2_001 }, (_, index) => `task-${index}.json`);
  await Promise.all(names.map((name) => writeFile(join(project, "maze", name), "{}")));
  await note();
  expect(await run.events()).toMatchObject([{ data: { folder: "maze", files: 2_000 } }]);
});

// A name that is not UTF-8 can be listed but not opened.
it.runIf(process.platform === "linux")("an unreadable file counts by its name", async () => {
  const named = (end: string): Buffer =>
    Buffer.concat([Buffer.from(join(project, "maze", "a")), Buffer.from([0xff]), Buffer.from(end)]);
  expect(await note()).toEqual([]);
  await writeFile(named(".py"), "print(1)");
  expect(await note()).toHaveLength(1);
  await mkdir(named(""));
  expect(await note()).toHaveLength(1);
  expect(await note()).toEqual([]);
});

it("another version of the library behind a bridge causes a warning, too", async () => {
  const python = join(project, "python");
  const versionIs = (version: string) =>
    writeFile(python, `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
  const bridged = { ...NO_SERVER, bridge: "reasoning-gym", id: "chain_sum", python } as const;
  await versionIs("0.1.25");
  expect(await note({ ...bridged, command: [] })).toEqual([]);
  await writeFile(join(project, "maze", "environment.py"), "print(2)");
  expect(await note({ ...bridged, command: [] })).toEqual([]);
  await versionIs("0.1.26");
  expect(await note({ ...bridged, command: [] })).toEqual([
    expect.stringContaining("it was reasoning-gym 0.1.25 and is now reasoning-gym 0.1.26"),
  ]);
});

it("git and Python run without a window on Windows", async () => {
  await note({
    ...NO_SERVER,
    bridge: "reasoning-gym",
    id: "chain_sum",
    python: "none",
    command: [],
  });
  await note();
  const programs = ask.mock.calls.map(([program, , { windowsHide }]) => ({ program, windowsHide }));
  expect(programs).toEqual(
    expect.arrayContaining([
      { program: "none", windowsHide: true },
      { program: "git", windowsHide: true },
    ]),
  );
});
