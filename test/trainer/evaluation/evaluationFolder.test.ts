import { join } from "node:path";
import { expect, it } from "vitest";
import { appendUploadLine } from "../../../src/core/tracking/openreward/uploadLog.ts";
import { claimEvaluation } from "../../../src/trainer/evaluation/evaluationFolder.ts";
import { aConfig } from "../../core/training/builders.ts";
import { filesOnDisk, folderOfAllTests } from "../../fakes/onDisk.ts";

const fileSystem = filesOnDisk();
const home = folderOfAllTests();

it("an evaluation that is done is claimed again as long as rollouts of it wait to be uploaded", async () => {
  const path = join(home, "config.yaml");
  const loaded = { config: aConfig(), path, text: "", warnings: [], overrides: [] };
  const models = [{ name: "base", path: null, step: 0 }];
  const claim = () => claimEvaluation({ fileSystem, loaded, models, owner: "terminal" });
  const first = await claim();
  const opened = { kind: "opened", attempt: 1, waiting: 3 } as const;
  await appendUploadLine(first.files, first.folder, opened);
  await first.end({ phase: "done" });
  const second = await claim();
  expect([second.folder, second.file.attempt]).toEqual([first.folder, 2]);
  await appendUploadLine(second.files, second.folder, { ...opened, waiting: 0 });
  await second.end({ phase: "done" });
  const third = await claim();
  expect(third.folder).not.toBe(first.folder);
  await third.end({ phase: "done" });
});
