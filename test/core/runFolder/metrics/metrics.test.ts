import { expect, test } from "vitest";
import { divergenceMetrics } from "../../../../src/core/runFolder/metrics/divergence.ts";
import { buildMetricsRow } from "../../../../src/core/runFolder/metrics/metrics.ts";
import { flattenMetrics } from "../../../../src/core/runFolder/metrics/metricsTree.ts";
import type { StepFacts } from "../../../../src/core/runFolder/metrics/stepFacts.ts";
import { aTurn, rolloutFacts, stepFacts } from "../builders.ts";

const flatRow = (changes: Partial<StepFacts>) =>
  flattenMetrics(buildMetricsRow(stepFacts(changes)));

/** Two groups: rewards 1, 0, 0, 1 are trained on; in the second, one rollout failed and the other rewards are equal. */
const twoGroups: Partial<StepFacts> = {
  environments: ["local/calculator", "local/key-vault"],
  groups: [
    { group: 0, excluded: null, isPartial: false },
    { group: 1, excluded: "zero_variance", isPartial: false },
  ],
  rollouts: [
    ...[1, 0, 0, 1].map((reward) =>
      rolloutFacts({ reward, advantage: reward === 1 ? 0.8660254 : -0.8660254 }),
    ),
    ...[0, 0].map((reward) =>
      rolloutFacts({
        environment: "local/key-vault",
        group: 1,
        reward,
        isIncluded: false,
        isSent: false,
        advantage: null,
        stop: "rollout_timeout",
      }),
    ),
    rolloutFacts({
      environment: "local/key-vault",
      group: 1,
      reward: null,
      isIncluded: false,
      isSent: false,
      advantage: null,
      stop: "max_retries",
      errorClass: "transient",
      turns: [],
    }),
  ],
};

test("reward statistics cover scored rollouts, fractions and mean_all cover played ones, and included ones have their own", () => {
  expect(flatRow(twoGroups)).toMatchObject({
    num_groups: 1,
    num_excluded_groups: 1,
    num_rollouts: 4,
    num_timed_out: 2,
    num_errors: 1,
    "rollout/reward/mean": expect.closeTo(1 / 3, 7),
    "rollout/reward/count": 6,
    "rollout/reward/std": expect.closeTo(0.5163978, 7),
    "rollout_included/reward/mean": 0.5,
    "rollout_included/reward/std": expect.closeTo(0.5773503, 7),
    "rollout_included/reward/count": 4,
    "rollout/success_frac": expect.closeTo(2 / 7, 7),
    "rollout/scored_frac": expect.closeTo(6 / 7, 7),
    "rollout/reward/mean_all": expect.closeTo(2 / 7, 7),
    "advantage/mean": expect.closeTo(0, 7),
    "advantage/abs_mean": expect.closeTo(0.8660254, 7),
    "errors/transient": 1,
    "errors/total": 1,
  });
});

test("stop reasons cover every rollout, so they sum to the total", () => {
  expect(flatRow(twoGroups)).toMatchObject({
    "rollout/stop_reason/reached_terminal_state/count": 4,
    "rollout/stop_reason/rollout_timeout/count": 2,
    "rollout/stop_reason/max_retries/count": 1,
    "rollout/stop_reason/max_retries/frac": expect.closeTo(1 / 7, 7),
  });
});

test("groups are mixed, all good, or all bad by their rewards", () => {
  expect(flatRow(twoGroups)).toMatchObject({
    "group/frac_mixed": 0.5,
    "group/frac_all_good": 0,
    "group/frac_all_bad": 0.5,
    "group/excluded/zero_variance": 1,
    "group/size/mean": 3.5,
    "group/reward_std/mean": expect.closeTo(0.5773503 / 2, 7),
  });
});

test("a group with a single reward is not compared", () => {
  const alone = [
    rolloutFacts({ reward: 1 }),
    rolloutFacts({ reward: null }),
    rolloutFacts({ group: 1, reward: 0 }),
    rolloutFacts({ group: 1, reward: 1 }),
  ];
  const groups = [0, 1].map((group) => ({ group, excluded: null, isPartial: false }));
  expect(flatRow({ groups, rollouts: alone })).toMatchObject({
    "group/compared": 1,
    "group/frac_mixed": 1,
    "group/frac_all_good": 0,
  });
});

test("groups with a reward are counted separately from those that failed completely", () => {
  const rollouts = [
    rolloutFacts({ reward: 1 }),
    rolloutFacts({ group: 1, reward: 0 }),
    rolloutFacts({ group: 1, reward: null }),
    rolloutFacts({ group: 2, reward: null }),
  ];
  const groups = [0, 1, 2].map((group) => ({ group, excluded: null, isPartial: false }));
  expect(flatRow({ groups, rollouts })).toMatchObject({
    "group/size/count": 3,
    "rollout/reward/groups": 2,
    "rollout/reward/group_std": expect.closeTo(Math.SQRT1_2, 7),
  });
});

test("with a fixed mix of environments, only the spread within them counts", () => {
  const rewards = [
    [0.1, 0.3],
    [0.7, 0.9],
  ];
  const rollouts = rewards.flatMap((own, at) =>
    own.map((reward, i) => rolloutFacts({ environment: `a/Env${at}`, group: 2 * at + i, reward })),
  );
  const names = ["ci_low", "ci_high", "group_std"].map((name) => `rollout/reward/${name}`);
  const found = (hasFixedMix: boolean) => {
    const row = flatRow({ environments: ["a/Env0", "a/Env1"], rollouts, hasFixedMix });
    return names.map((name) => Number(row[name]).toFixed(3));
  };
  // Each deviates by 0.1 from the mean of its environment, with 2 degrees of freedom: 0.5 ± 4.303 · √(0.04 / 2 / 4).
  expect(found(true)).toEqual(["0.196", "0.804", "0.141"]);
  expect(found(false)).toEqual(["0.000", "1.000", "0.365"]);
});

test("an environment is listed by its short name unless two in the run share it", () => {
  const rollouts = [rolloutFacts({ environment: "a/Env" }), rolloutFacts({ environment: "b/Env" })];
  const shared = flatRow({ environments: ["a/Env", "b/Env"], rollouts });
  expect(shared).toHaveProperty(["rollout/env/a/Env/reward/mean"], 1);
  expect(shared).toHaveProperty(["rollout/env/b/Env/reward/mean"], 1);
  const alone = flatRow({ environments: ["a/Env", "b/Other"], rollouts: rollouts.slice(0, 1) });
  expect(alone).toHaveProperty(["rollout/env/Env/reward/mean"], 1);
});

test("a skipped step has a row with a null loss", () => {
  const skipped = stepFacts({ loss: null, substeps: 0, rollouts: [], groups: [] });
  expect(buildMetricsRow(skipped)).toMatchObject({
    step: 3,
    skipped: true,
    loss: null,
    num_rollouts: 0,
    rollout: { reward: { mean: null, count: 0 } },
    optim: { kl_sample_train_v2: null, compared_tokens: 0 },
  });
  expect(buildMetricsRow(stepFacts())).not.toHaveProperty("skipped");
});

test("num_rollouts counts what was sent, not what was only compared", () => {
  const rollouts = [rolloutFacts(), rolloutFacts({ advantage: 0, isSent: false })];
  expect(flatRow({ rollouts })).toMatchObject({
    num_rollouts: 1,
    "advantage/count": 2,
    "rollout_included/reward/count": 2,
  });
});

test("a step is not skipped just because the service reports no loss", () => {
  const row = buildMetricsRow(stepFacts({ loss: null }));
  expect(row).toMatchObject({ loss: null, num_rollouts: expect.any(Number) });
  expect(row).not.toHaveProperty("skipped");
});

test("numbers that are not finite become null and are flagged", () => {
  const row = flatRow({
    loss: Number.NaN,
    serverMetrics: { "loss:sum": Number.POSITIVE_INFINITY },
  });
  expect(row).toMatchObject({
    loss: null,
    loss_nonfinite: true,
    "tinker/loss/sum": null,
    "tinker/loss/sum_nonfinite": true,
  });
  expect(JSON.parse(JSON.stringify(row))).toEqual(row);
});

test("policy behavior counts even without a reward, and rewards are counted separately", () => {
  const cut = aTurn({ isParsed: false, isTruncated: true, sampledTokens: 30 });
  const tools = [{ name: "add", isError: true, durationS: 1 }];
  const rollouts = [
    rolloutFacts({ reward: 1 }),
    rolloutFacts({ reward: null, turns: [cut], tools, stop: "parse_error", attempts: 3 }),
    rolloutFacts({ reward: null, turns: [], stop: "max_retries", attempts: 4 }),
  ];
  expect(flatRow({ rollouts })).toMatchObject({
    "rollout/reward/count": 1,
    "rollout/turns/count": 2,
    "rollout/response_tokens/max": 30,
    "rollout/tokens_per_turn/count": 2,
    "rollout/parse_ok_frac": 0.5,
    "rollout/turn_truncated_frac": 0.5,
    "rollout/tool/add/error_frac": 1,
    "rollout/failed_tool_calls/mean": 0.5,
    "rollout/prompt_tokens/count": 2,
    "rollout/attempts/max": 4,
  });
  const malformed = [rolloutFacts({ reward: null, turns: [cut], stop: "parse_error" })];
  expect(flatRow({ rollouts: malformed })).toMatchObject({ "rollout/parse_ok_frac": 0 });
});

test("turns and tools are aggregated over played rollouts", () => {
  const rollouts = [
    rolloutFacts({
      turns: [aTurn({ sampledTokens: 8 }), aTurn({ sampledTokens: 4, isParsed: false })],
      tools: [
        { name: "add", isError: false, durationS: 1 },
        { name: "add", isError: true, durationS: 3 },
      ],
    }),
    rolloutFacts({ turns: [aTurn({ sampledTokens: 6, isTruncated: true }), aTurn()] }),
  ];
  expect(flatRow({ rollouts })).toMatchObject({
    "rollout/turns/mean": 2,
    "rollout/response_tokens/min": 12,
    "rollout/response_tokens/max": 16,
    "rollout/tokens_per_turn/mean": 7,
    "rollout/total_tokens/max": 41,
    "rollout/parse_ok_frac": 0.75,
    "rollout/turn_truncated_frac": 0.25,
    "rollout/failed_tool_calls/max": 1,
    "rollout/tool/add/count": 2,
    "rollout/tool/add/error_frac": 0.5,
    "rollout/tool/add/latency_s": 2,
    "throughput/sampled_tok_s": 2.8,
  });
});

test("divergence matches the precomputed example, over trained tokens with a known trainer value", () => {
  const datum = {
    samplerLogprobs: [0, -1.2, -0.5, -9],
    trainerLogprobs: [-4, -1.0, -0.7, Number.NaN],
    mask: [0, 1, 1, 1],
    advantages: [0, 1, 1, 1],
  };
  expect(divergenceMetrics([datum], [], null)).toMatchObject({
    kl_sample_train_v1: expect.closeTo(0, 7),
    kl_sample_train_v2: expect.closeTo(0.02, 7),
    kl_sample_train_k3: expect.closeTo(0.0200668, 7),
    entropy: expect.closeTo(0.85, 7),
    logprob_diff_abs_mean: expect.closeTo(0.2, 7),
    ratio_max: expect.closeTo(Math.exp(0.2), 7),
    ess: expect.closeTo(0.9625037, 7),
  });
});

test("the clip fraction counts only where clipping takes effect, not wherever the ratio is out of bounds", () => {
  const outside = Math.log(2);
  const datum = (advantage: number) => ({
    samplerLogprobs: [-1, -1],
    trainerLogprobs: [-1 + outside, -1 - outside],
    mask: [1, 1],
    advantages: [advantage, advantage],
  });
  const clip = { low: 0.8, high: 1.2, cuts: "gradient" } as const;
  expect(divergenceMetrics([datum(1)], [], clip)).toMatchObject({
    clip_frac_low: 0,
    clip_frac_high: 0.5,
  });
  expect(divergenceMetrics([datum(-1)], [], clip)).toMatchObject({
    clip_frac_low: 0.5,
    clip_frac_high: 0,
  });
});

test("a weight clip counts at both bounds, whatever the sign of the advantage", () => {
  const outside = Math.log(8);
  const datum = {
    samplerLogprobs: [-1, -1, -1, -1],
    trainerLogprobs: [-1 + outside, -1 + outside, -1 - outside, -1],
    mask: [1, 1, 1, 1],
    advantages: [1, -1, 1, 1],
  };
  const clip = { low: 0.5, high: 4, cuts: "weight" } as const;
  expect(divergenceMetrics([datum], [], clip)).toMatchObject({
    clip_frac_low: 0.25,
    clip_frac_high: 0.5,
  });
});

test("data masked by a correction counts in the divergence, but not as trained or clipped", () => {
  const sent = {
    samplerLogprobs: [0, -1],
    trainerLogprobs: [0, -1],
    mask: [0, 1],
    advantages: [0, 1],
  };
  const masked = { samplerLogprobs: [0, -1], trainerLogprobs: [0, -3], mask: [0, 1] };
  const clip = { low: 0.8, high: 1.2, cuts: "gradient" } as const;
  expect(flatRow({ datums: [sent], masked: [masked], clip })).toMatchObject({
    "optim/logprob_diff_abs_mean": 1,
    "optim/logprob_diff_abs_max": 2,
    "optim/compared_tokens": 2,
    "optim/clip_frac_low": 0,
    num_datums: 1,
    "train/action_tokens": 1,
  });
  expect(flatRow({ masked: [masked] })).toMatchObject({ "optim/logprob_diff_abs_mean": 2 });
});

test("tokens are counted once for training and by their advantage", () => {
  const datum = {
    samplerLogprobs: [0, -1, -1],
    trainerLogprobs: null,
    mask: [0, 1, 1],
    advantages: [0, 0, 2],
  };
  expect(flatRow({ datums: [datum] })).toMatchObject({
    num_datums: 1,
    "train/tokens": 3,
    "train/action_tokens": 2,
    "train/zero_advantage_frac": 0.5,
  });
});

test("additional metrics join the branches they belong to", () => {
  const row = flatRow({ extra: { alarm: { "parse-success": 1 }, optim: { grad_norm: 2 } } });
  expect(row).toMatchObject({ "alarm/parse-success": 1, "optim/grad_norm": 2, "optim/lr": 1e-3 });
});

test("turns of agents are also counted separately", () => {
  const [read] = rolloutFacts().turns;
  const unread = read === undefined ? [] : [{ ...read, isParsed: false }];
  const rollouts = [rolloutFacts(), rolloutFacts({ agentFailed: true, turns: unread })];
  expect(flatRow({ rollouts })).toMatchObject({
    "rollout/agent/count": 1,
    "rollout/agent/failed_frac": 1,
    "rollout/agent/turns": 1,
    "rollout/agent/parse_ok_frac": 0,
    "rollout/agent/turn_truncated_frac": 0,
  });
  expect(flatRow({ rollouts: [rolloutFacts()] })).not.toHaveProperty(["rollout/agent/count"]);
});
