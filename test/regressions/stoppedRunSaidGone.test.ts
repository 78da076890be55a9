import { rm } from "node:fs/promises";
import { afterAll, describe, expect, it } from "vitest";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import { startRun } from "../../src/core/runFolder/runFolder.ts";
import { listRuns } from "../../src/core/runs/runList.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import {
  amidRollouts,
  connectTo,
  runFile,
  spawnProgram,
  train,
} from "../integration/controlledRun.ts";
import { runFolderWith } from "../integration/localRun.ts";

const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4 }
batch_size: 4
max_steps: 50
`;
const STOPPED_NOW = {
  phase: "stopped",
  control: null,
  ending: { code: "stopped", message: "The run was ended at once, without a save." },
};

const folders: string[] = [];
async function project(): Promise<string> {
  const folder = await runFolderWith(CONFIG);
  folders.push(folder);
  return folder;
}
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describe("a run that is ended at once", () => {
  it("says so in its folder, whoever looks at it when its process is gone", async () => {
    const folder = await project();
    const program = spawnProgram(["train", `${folder}/config.yaml`], null);
    const client = await connectTo(folder);
    await client.send({ action: "stop-now" });
    expect(await program.ended, program.printed()).toBe(6);
    expect(await runFile(folder)).toMatchObject(STOPPED_NOW);
    const fileSystem = createFileSystem();
    const liveness = { nowMs: systemClock.now(), isProcessAlive: () => false };
    const [listed] = await listRuns(fileSystem, `${folder}/.tinker-rl/runs`, liveness);
    await fileSystem.close();
    expect(listed?.phase).toBe("stopped");
  });

  it("keeps that word while what was under way goes on to its own end", async () => {
    const folder = await project();
    const run = train(folder);
    await run.saw(amidRollouts(0));
    run.stopNow();
    expect((await run.ended).outcome).toBe("interrupted");
    expect(await runFile(folder)).toMatchObject(STOPPED_NOW);
    await run.saw(({ kind }) => kind === "ended");
    expect(await runFile(folder)).toMatchObject(STOPPED_NOW);
  });
});

describe("the end of a run", () => {
  it("is what was written first: neither heartbeats nor a later command change it", async () => {
    const fileSystem = createMemoryFileSystem();
    const lease = await startRun(
      { fileSystem, clock: systemClock },
      {
        parent: "/runs",
        name: "run",
        runId: "id",
        pid: 1,
        host: "here",
        owner: "terminal",
        configPath: "/run.yaml",
      },
    );
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
