import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stageOfRun } from "../../../src/host/runs/stageOfRun.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

const folder = folderOfEachTest();

it("is that of the chain that the run belongs to", async () => {
  const sweep = { id: "s", name: "s", combination: 0, combinations: 2, settings: ["stage=one"] };
  expect(await stageOfRun({ file: aRunFile({ sweep }), folder })).toBe("one");
});

it("is that of its configuration for one that was trained alone", async () => {
  await writeFile(join(folder, "config.resolved.json"), JSON.stringify({ stage: "two" }));
  expect(await stageOfRun({ file: aRunFile(), folder })).toBe("two");
});

it("is none without stages", async () => {
  expect(await stageOfRun({ file: aRunFile(), folder })).toBeNull();
});
