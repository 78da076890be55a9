import { join } from "node:path";
import { expect, it } from "vitest";
import { appendUploadLine } from "../../../src/core/tracking/openreward/uploadLog.ts";
import {
  claimEvaluation,
  type EvaluationFolderOptions,
  unfinishedEvaluation,
} from "../../../src/trainer/evaluation/evaluationFolder.ts";
import { aConfig } from "../../core/training/builders.ts";
import { filesOnDisk, folderOfAllTests } from "../../fakes/onDisk.ts";

const fileSystem = filesOnDisk();
const home = folderOfAllTests();

async function claimed(options: EvaluationFolderOptions) {
  return claimEvaluation(options, await unfinishedEvaluation(options));
}

it("an evaluation ended by its budget resumes with a higher one, but not with other settings", async () => {
  const models = [{ name: "base", path: null, step: 0 }];
  const claim = (settings: Parameters<typeof aConfig>[0]) => {
    const path = join(home, "budget.yaml");
    const loaded = { config: aConfig(settings), path, text: "", warnings: [], overrides: [] };
    return claimed({ fileSystem, loaded, models, owner: "terminal" });
  };
  const first = await claim({ max_hours: 1, max_cost_usd: 1 });
  await first.end({ phase: "stopped" });
  const other = await claim({ max_hours: 2, seed: 5 });
  await other.end({ phase: "done" });
  const second = await claim({ max_hours: 2, max_tokens_total: 10 });
  expect([second.folder, second.file.attempt]).toEqual([first.folder, 2]);
  expect(other.folder).not.toBe(first.folder);
  await second.end({ phase: "done" });
});

it("a finished evaluation is resumed as long as its rollouts wait for upload", async () => {
  const path = join(home, "config.yaml");
  const loaded = { config: aConfig(), path, text: "", warnings: [], overrides: [] };
  const models = [{ name: "base", path: null, step: 0 }];
  const claim = () => claimed({ fileSystem, loaded, models, owner: "terminal" });
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
