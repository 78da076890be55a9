import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type * as vscode from "vscode";
import { askSweep } from "../../../src/host/commands/askSweep.ts";
import { systemClock } from "../../../src/node/clock.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { textWith } from "../../core/config/configText.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";
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
