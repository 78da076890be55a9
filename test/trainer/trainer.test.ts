import { writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startTraining } from "../../src/trainer/trainer.ts";
import { textWith } from "../core/config/configText.ts";
import { folderOfThisTest } from "../fakes/onDisk.ts";

it("a run whose initial weights are missing does not start, and leaves no folder", async () => {
  const folder = folderOfThisTest();
  const configPath = join(folder, "run.yaml");
  writeFileSync(configPath, textWith("init_from: nowhere"));
  const request = { owner: "terminal", watch: () => undefined, programFolder: folder } as const;
  await expect(startTraining({ ...request, configPath }).ended).rejects.toMatchObject({
    code: "run-not-found",
    configPath: "init_from",
  });
  expect(await readdir(folder)).toEqual(["run.yaml"]);
});
