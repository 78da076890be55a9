import { expect, it } from "vitest";
import { buildMetricsRow } from "../../src/core/runFolder/metrics/metrics.ts";
import { flattenMetrics } from "../../src/core/runFolder/metrics/metricsTree.ts";
import { configIn, textWith } from "../core/config/configText.ts";
import { rolloutFacts, stepFacts } from "../core/runFolder/builders.ts";

const GAMES = { environment: "a/game", group: 0, successReward: 0.5 };
const SUMS = { environment: "a/sum", group: 1, successReward: 1 };

it("success is counted from each environment's own reward on", () => {
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

it("is 1 unless the configuration says otherwise", () => {
  const [own] = Object.values(configIn(textWith()).environments);
  expect(own?.success_reward).toBe(1);
});
