import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { loadEvaluation } from "../../../src/trainer/evaluation/loadEvaluation.ts";
import type { EvaluateRequest } from "../../../src/trainer/plan/types.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

const TEXT = `
model_name: local/tiny-tool
lora_rank: 4
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 2, nonterminal_reward: 0 }
  local/depot: { splits: { train: {} }, num_rollouts: 2, nonterminal_reward: 0 }
batch_size: 1
max_steps: 1
`;
const folder = folderOfEachTest();
beforeEach(async () => {
  await writeFile(join(folder, "a.yaml"), TEXT);
});

async function evaluationOf(changes: Partial<EvaluateRequest>) {
  const request = { owner: "terminal", watch: () => undefined, models: ["base"] } as const;
  const configPath = join(folder, "a.yaml");
  const all = { ...request, configPath, splits: [], ...changes };
  return (await loadEvaluation(createFileSystem(), all)).config.evaluation;
}

it("uses one split of all environments, or of one environment", async () => {
  expect(await evaluationOf({ splits: ["test"] })).toMatchObject({
    splits: { "local/calculator": ["test"], "local/depot": ["test"] },
    num_samples: 64,
  });
  const splits = ["local/calculator=test,train", "local/calculator=test"];
  const overrides = ["evaluation.num_samples=3"];
  expect(await evaluationOf({ splits, overrides })).toMatchObject({
    splits: { "local/calculator": ["test", "train"] },
    num_samples: 3,
  });
});

it("keeps the configured splits if none is named", async () => {
  const overrides = ['evaluation.splits={"local/depot": [test]}'];
  expect(await evaluationOf({ overrides })).toMatchObject({ splits: { "local/depot": ["test"] } });
});

it("requires splits, and lists the existing ones, if neither the configuration nor the command names any", async () => {
  for (const overrides of [[], ["evaluation.num_samples=16"]]) {
    await expect(evaluationOf({ overrides })).rejects.toThrow(
      /specify splits: --splits test\. local\/calculator has train, test\. local\/depot has train, test\.$/,
    );
  }
});

it("rejects a list without a split, and a checkpoint without a configuration", async () => {
  await expect(evaluationOf({ splits: ["local/depot="] })).rejects.toMatchObject({
    code: "bad-arguments",
  });
  await expect(evaluationOf({ configPath: null, models: ["bas"] })).rejects.toThrow(
    /^None of these is a run folder: bas\. Add --config_path FILE/,
  );
});
