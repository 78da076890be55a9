import { resolve } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { startRun } from "../../src/core/runFolder/runFolder.ts";
import { writeState } from "../../src/core/runFolder/state.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { loadConfig, writeConfigFiles } from "../../src/trainer/config/configFiles.ts";
import { planResume } from "../../src/trainer/resume.ts";
import { textWith } from "../core/config/configText.ts";
import { createMemoryFileSystem, createStillClock } from "../core/runFolder/memoryFileSystem.ts";
import { aRunState } from "./runState.ts";

const path = resolve("/project/run.yaml");
let fileSystem: ReturnType<typeof createMemoryFileSystem>;
let folder: string;

/** A run that was started with `overrides` and has saved a state. */
beforeEach(async () => {
  fileSystem = createMemoryFileSystem();
  write(textWith());
  const loaded = await loadConfig(fileSystem, path, ["batch_size=9", "learning_rate=1e-4"]);
  const run = { parent: "/runs", name: "demo", runId: "a", pid: 1, owner: "terminal" as const };
  const lease = await startRun(
    { fileSystem, clock: createStillClock() },
    { ...run, configPath: path },
  );
  folder = lease.folder;
  await writeConfigFiles(fileSystem, folder, loaded, new Redactor());
  await writeState(fileSystem, folder, aRunState(2, { changed_keys: ["save_every"] }));
});

function write(text: string): void {
  fileSystem.files.set(path, new TextEncoder().encode(text));
}

function plan(overrides: readonly string[] = []) {
  const request = { folder, owner: "terminal" as const, overrides, watch: () => undefined };
  return planResume(fileSystem, request);
}

describe("a resume", () => {
  it("keeps the overrides that the run was started with", async () => {
    const { loaded, changedKeys } = await plan();
    expect(loaded.config).toMatchObject({ batch_size: 9, learning_rate: 1e-4 });
    expect(changedKeys).toEqual(["save_every"]);
  });

  it("adds its own, as changed keys, and they are kept as well", async () => {
    const { loaded, changedKeys } = await plan(["learning_rate=2e-4", "max_steps=50"]);
    expect(loaded.config).toMatchObject({ learning_rate: 2e-4, max_steps: 50 });
    expect(new Set(changedKeys)).toEqual(new Set(["save_every", "learning_rate", "max_steps"]));
    await writeConfigFiles(fileSystem, folder, loaded, new Redactor());
    expect((await plan()).loaded.config).toMatchObject({ learning_rate: 2e-4, max_steps: 50 });
  });

  it("keeps the date that the prompts of the run show, where one was saved", async () => {
    expect((await plan()).promptDate).toBeUndefined();
    await writeState(fileSystem, folder, aRunState(3, { prompt_date: "2026-01-02" }));
    expect((await plan()).promptDate).toBe("2026-01-02");
  });

  it("refuses an override that would make it another run", async () => {
    await expect(plan(["seed=7"])).rejects.toMatchObject({
      code: "config-identity",
      message: expect.stringMatching(/^--overrides seed=7: error: seed changed/),
    });
    write(textWith("seed: 7"));
    await expect(plan()).rejects.toThrow(/run\.yaml: error: seed changed/);
  });

  it("goes on with a prompt that its own copy lacks a secret of", async () => {
    const prompt = (key: string) => textWith(`system_prompt_template: Use ${key} for the search.`);
    write(prompt("sk-0123456789"));
    const redactor = new Redactor();
    redactor.learn("sk-0123456789");
    const loaded = await loadConfig(fileSystem, path, ["batch_size=9", "learning_rate=1e-4"]);
    await writeConfigFiles(fileSystem, folder, loaded, redactor);
    expect((await plan()).loaded.config.system_prompt_template).toContain("sk-0123456789");
    write(textWith("system_prompt_template: Search."));
    await expect(plan()).rejects.toThrow(/system_prompt_template changed/);
  });

  it("takes overrides also when the configuration file is gone", async () => {
    fileSystem.files.delete(path);
    const { loaded } = await plan(["max_steps=50"]);
    expect(loaded.config).toMatchObject({ batch_size: 9, max_steps: 50 });
    expect(loaded.warnings[0]).toContain("the configuration file no longer exists");
  });
});
