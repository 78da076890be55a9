import { expect, it, test } from "vitest";
import { successReward } from "../../../src/core/config/fields/presets.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { flattenMetrics } from "../../../src/core/runFolder/metrics/metricsTree.ts";
import { readSuccessRewards } from "../../../src/core/runFolder/successRewards.ts";
import { configIn, textWithEnvironment } from "../config/configText.ts";
import { rolloutFacts, stepFacts } from "./builders.ts";
import { createMemoryFileSystem } from "./memoryFileSystem.ts";

const FOLDER = "/runs/demo";

async function successRewardsOf(config: unknown) {
  const files = createMemoryFileSystem();
  await files.append(runPaths(FOLDER).resolvedConfig, JSON.stringify(config));
  return readSuccessRewards(files, FOLDER);
}

test("an environment's success reward is the one that the run uses", async () => {
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

test("a folder without a readable configuration uses the default success reward", async () => {
  expect((await successRewardsOf({ environments: [1] }))("given")).toBe(1);
  expect((await readSuccessRewards(createMemoryFileSystem(), FOLDER))("given")).toBe(1);
});

const GAMES = { environment: "a/game", group: 0, successReward: 0.5 };
const SUMS = { environment: "a/sum", group: 1, successReward: 1 };

it("success is counted with each environment's own success reward", () => {
  const rollouts = [
    ...[0.5, 0.5].map((reward) => rolloutFacts({ ...GAMES, reward })),
    ...[0.5, 0.5].map((reward) => rolloutFacts({ ...SUMS, reward })),
  ];
  const groups = [0, 1].map((group) => ({ group, excluded: null, isPartial: false }));
  const environments = ["a/game", "a/sum"];
  const row = flattenMetrics(buildMetricsRow(stepFacts({ rollouts, groups, environments })));
  expect(row).toMatchObject({
    "rollout/success_frac": 0.5,
    "rollout/env/game/success_frac": 1,
    "rollout/env/sum/success_frac": 0,
    "group/frac_all_good": 0.5,
    "group/frac_all_bad": 0.5,
  });
});

it.each([
  [[], 1],
  [["max_reward: 10"], 10],
  [["max_reward: 10", "success_reward: 4"], 4],
])(
  "is what the configuration says, else the highest reward that it names, else 1: %j",
  (lines, expected) => {
    const [own] = Object.values(configIn(textWithEnvironment(...lines)).environments);
    expect(own && successReward(own)).toBe(expected);
  },
);
