import { expect, test } from "vitest";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import type { FinishedRollout } from "../../../../src/core/rollout/rollout.ts";
import { flattenMetrics } from "../../../../src/core/runFolder/metrics/metricsTree.ts";
import { healthMetrics } from "../../../../src/core/training/update/healthMetrics.ts";
import { aRecord, rolloutFacts } from "../../runFolder/builders.ts";

/** A rollout that sampled `tokens`, each with this probability. */
function sampled(group: number, tokens: readonly number[], each = 0.5): FinishedRollout {
  const ledger = new Ledger([1, 2, 3]);
  ledger.addTurn(
    tokens,
    tokens.map(() => Math.log(each)),
  );
  const facts = rolloutFacts();
  return {
    record: aRecord({ group }),
    streams: [ledger],
    images: [],
    facts,
    stack: null,
    scoredFrom: null,
  };
}

const metrics = (rollouts: readonly FinishedRollout[]) =>
  flattenMetrics(healthMetrics({ rollouts, staleness: [2], lagMs: null }));

test("copies are counted within a group, next to the number expected from independent samples", () => {
  const rollouts = [
    ...[sampled(0, [7, 8]), sampled(0, [7, 9]), sampled(0, [7, 8])],
    ...[sampled(1, [7, 8]), sampled(1, [7])],
  ];
  const expected = (0.25 + (1 - 0.75 ** 2) + 0.5) / 3;
  expect(metrics(rollouts)).toMatchObject({
    "rollout/duplicate_frac": 1 / 3,
    "rollout/duplicate_expected_frac": expect.closeTo(expected, 7),
  });
});

test("a rollout with nothing to train on is not a copy", () => {
  const failed = { ...sampled(0, [7]), streams: [new Ledger([1, 2, 3])] };
  expect(metrics([failed, failed, { ...failed, streams: [] }])).toMatchObject({
    "rollout/duplicate_frac": null,
    "rollout/duplicate_expected_frac": null,
  });
});

test("entropy is the mean over all sampled tokens, including groups that are not trained on", () => {
  const collapsed = [sampled(0, [7, 8, 9], 1), sampled(0, [7, 8, 9], 1)];
  const rollouts = [...collapsed, sampled(1, [7, 8], 0.5)];
  expect(metrics(rollouts)).toMatchObject({
    "rollout/entropy": expect.closeTo((2 * Math.LN2) / 8, 6),
  });
});

test("tokens without a sampler log-probability do not count in the entropy", () => {
  const ledger = new Ledger([1, 2, 3]);
  ledger.addTurn([7, 8], null);
  const context = { ...sampled(0, [7]), streams: [ledger] };
  expect(metrics([context])).toMatchObject({ "rollout/entropy": null });
  expect(metrics([context, sampled(0, [7])])).toMatchObject({
    "rollout/entropy": expect.closeTo(Math.LN2, 6),
  });
});

test("rewards that cannot be trained on are counted", () => {
  const failed = (errorClass: string | null) => ({
    ...sampled(0, [7]),
    facts: rolloutFacts({ reward: null, errorClass }),
  });
  const rollouts = [failed("environment-reward-invalid"), failed("timeout"), sampled(0, [7])];
  expect(metrics(rollouts)).toMatchObject({ "rollout/nonfinite_rewards": 1 });
});

test("lag is reported when it was measured", () => {
  expect(metrics([])).not.toHaveProperty("client/event_loop_lag_ms");
  expect(metrics([])).toHaveProperty(["async/staleness/max"], 2);
  expect(healthMetrics({ rollouts: [], staleness: [0], lagMs: 12 })).toMatchObject({
    client: { event_loop_lag_ms: 12 },
  });
});
