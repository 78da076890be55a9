import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { noteEnvironmentCode } from "../../../src/trainer/environments/environmentCode.ts";
import { aConfig, anEnvironment } from "../../core/training/builders.ts";
import { NO_SERVER } from "../../core/training/serverBuilder.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";
import { aNotedRun } from "../notedRun.ts";

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
  await noteEnvironmentCode(project, { config, ...run.partsOf(1) }, 7);
  return run.warnings.splice(0);
}

it("another program or other tasks warn at the next attempt", async () => {
  expect(await note()).toEqual([]);
  await writeFile(join(project, "maze", "environment.py"), "print(2)");
  expect(await note()).toEqual([expect.stringMatching(/^The code of maze has changed.*step 7/)]);
  await writeFile(join(project, "maze", "tasks.jsonl"), "{}");
  expect(await note()).toHaveLength(1);
});

it("what lies beside the program's folder, or is made by running it, is no change", async () => {
  expect(await note()).toEqual([]);
  await writeFile(join(project, "tinker-config.yaml"), "batch_size: 3");
  await writeFile(join(project, "notes.txt"), "notes");
  await writeFile(join(project, "maze", "__pycache__", "environment.py"), "made");
  await writeFile(join(project, "maze", "server.log"), "line");
  expect(await note()).toEqual([]);
});

it("another version of the library behind a bridge warns, too", async () => {
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
