import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stageOfRun } from "../../../src/host/runs/stageOfRun.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

const folder = folderOfEachTest();

it("is the stage of the chain that the run belongs to", async () => {
  const sweep = { id: "s", name: "s", combination: 0, combinations: 2, settings: ["stage=one"] };
  expect(await stageOfRun({ file: aRunFile({ sweep }), folder })).toBe("one");
});

it("is the stage in its configuration for a run trained alone", async () => {
  await writeFile(join(folder, "config.resolved.json"), JSON.stringify({ stage: "two" }));
  expect(await stageOfRun({ file: aRunFile(), folder })).toBe("two");
});

it("is null without stages", async () => {
  expect(await stageOfRun({ file: aRunFile(), folder })).toBeNull();
});
