import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type * as vscode from "vscode";
import { askSweep } from "../../../src/host/commands/askSweep.ts";
import { systemClock } from "../../../src/node/clock.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { beginSweep, loadSweep } from "../../../src/node/loadSweep.ts";
import { textWith } from "../../core/config/configText.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { resetUser, user } from "../fakeWindow.ts";

vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  window: (await import("../fakeWindow.ts")).fakeWindow,
}));

const parent = folderOfEachTest();
const fileSystem = createFileSystem();
const HINT = "With 4 or more settings to compare, the worse half can stop early.";

it.each([
  ["learning_rate", "1e-5,2e-5,4e-5", HINT],
  ["learning_rate", "1e-5,2e-5,4e-5,8e-5", ""],
  ["seed", "1,2,3,4", HINT],
])("a sweep over %s=%s says what it takes to stop runs early: %s", async (key, values, detail) => {
  resetUser();
  const path = join(parent, "tinker-config.yaml");
  await writeFile(path, textWith("max_steps: 20"));
  user.picks = [[key]];
  user.types = [values];
  const config = { fsPath: path } as vscode.Uri; // what the prompts use
  const ports = { fileSystem, clock: systemClock };
  await askSweep({ config, continues: undefined, settingOverrides: [], ...ports });
  const label = `Continue with ${values.split(",").length} Runs`;
  expect(user.lists[1]?.[0]).toMatchObject({ label, detail });
});

it("blank text is no value of a setting", async () => {
  resetUser();
  const path = join(parent, "tinker-config.yaml");
  await writeFile(path, textWith("max_steps: 20"));
  user.picks = [["seed"]];
  user.types = ["  "];
  const config = { fsPath: path } as vscode.Uri; // what the prompts use
  const ports = { fileSystem, clock: systemClock };
  await askSweep({ config, continues: undefined, settingOverrides: [], ...ports });
  expect(user.lists).toHaveLength(2);
  expect(user.lists[1]).toEqual(user.lists[0]);
});

describe("an earlier sweep", () => {
  /** Continues a sweep that began before `more` was in its configuration. */
  async function continued(more = "") {
    resetUser();
    user.types = ["1"];
    user.presses = ["Start Sweep"];
    const path = join(parent, "tinker-config.yaml");
    await writeFile(path, textWith("max_steps: 20"));
    const ports = { fileSystem, clock: systemClock, log: silentLog };
    const grid = ["seed=1,2"];
    const earlier = { configPath: path, grid, overrides: ["batch_size=2"], halve: null };
    const { lease } = await beginSweep(ports, await loadSweep(ports, earlier));
    await lease.release();
    await writeFile(path, textWith(`max_steps: 20${more}`));
    const config = { fsPath: path } as vscode.Uri; // what the prompts use
    const { id } = lease.file;
    const settingOverrides = ["wandb=disabled"];
    return { id, asked: await askSweep({ config, continues: id, settingOverrides, ...ports }) };
  }

  it("continues with the overrides it began with, whatever the setting says now", async () => {
    const { id, asked } = await continued();
    expect(asked?.task).toMatchObject({ sweep: id, overrides: { batch_size: "2" } });
  });

  it("does not continue as another one if its configuration has another name", async () => {
    const { asked } = await continued("\nrun_name: other");
    expect(asked).toBeUndefined();
    expect(user.texts).toEqual([expect.stringContaining("began with another run_name")]);
  });
});
