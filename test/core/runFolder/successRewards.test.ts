import { expect, test } from "vitest";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { readSuccessRewards } from "../../../src/core/runFolder/successRewards.ts";
import { createMemoryFileSystem } from "./memoryFileSystem.ts";

const FOLDER = "/runs/demo";

async function successRewardsOf(config: unknown) {
  const files = createMemoryFileSystem();
  await files.append(runPaths(FOLDER).resolvedConfig, JSON.stringify(config));
  return readSuccessRewards(files, FOLDER);
}

test("an environment's success reward is the one that the run counts with", async () => {
  const successRewardOf = await successRewardsOf({
    environments: {
      given: { success_reward: 0.5, max_reward: 10 },
      highest: { success_reward: null, max_reward: 10 },
      plain: { success_reward: null, max_reward: null },
    },
  });
  const names = ["given", "highest", "plain", "unknown"];
  expect(names.map(successRewardOf)).toEqual([0.5, 10, 1, 1]);
});

test("a folder without a readable configuration has the success reward that is the default", async () => {
  expect((await successRewardsOf({ environments: [1] }))("given")).toBe(1);
  expect((await readSuccessRewards(createMemoryFileSystem(), FOLDER))("given")).toBe(1);
});
