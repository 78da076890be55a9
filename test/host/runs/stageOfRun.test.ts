import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stageOfRun } from "../../../src/host/runs/stageOfRun.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

const folder = folderOfEachTest();

it("the stage of a run is that of the chain it belongs to", async () => {
  const sweep = { id: "s", name: "s", combination: 0, combinations: 2, settings: ["stage=one"] };
  expect(await stageOfRun({ file: aRunFile({ sweep }), folder })).toBe("one");
});

it("the stage of a run trained alone is the one in its configuration", async () => {
  await writeFile(join(folder, "config.resolved.json"), JSON.stringify({ stage: "two" }));
  expect(await stageOfRun({ file: aRunFile(), folder })).toBe("two");
});

it("a run without stages has none", async () => {
  expect(await stageOfRun({ file: aRunFile(), folder })).toBeNull();
});
