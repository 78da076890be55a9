/** Measurements of a run, for tests of hints. */

import type { MeasuredRun } from "../../../../src/core/config/editing/display/measuredRun.ts";

const ENVIRONMENT = { splits: { train: {} }, num_rollouts: 8, max_turns: 10 };

export function aMeasuredRun(changes: Partial<MeasuredRun> = {}): MeasuredRun {
  return {
    name: "demo",
    isLive: true,
    steps: 50,
    totalSteps: 200,
    measuredSteps: 10,
    settings: {
      model_name: "Qwen/Qwen3-8B",
      batch_size: 32,
      num_epochs: 2,
      max_steps: 200,
      max_hours: 6,
      evaluation: { every: 10 },
      learning_rate: 1e-5,
      max_response_tokens: 4096,
      max_total_tokens: 32768,
      rollout_timeout: 300,
      grad_clip_norm: 1,
      max_cost_usd: 200,
      max_tokens_total: 900000000,
      target_reward: { reward: 0.9, steps: 5 },
      environments: { "Owner/Game": ENVIRONMENT, "Owner/Other": ENVIRONMENT },
    },
    step: { tokens: 412_301, costUsd: 0.83, seconds: 95, gradientNorm: 0.4213 },
    used: { tokens: 20_600_000, costUsd: 41.5, seconds: 5_400 },
    evaluation: { tokenShare: 0.18, costUsd: 7.2 },
    secondsLeft: 14_250,
    learningRate: 1e-5,
    reward: 0.63,
    turns: { cut: 0.021, meanTokens: 812, mostTokens: 3910 },
    rollouts: { full: 0, meanTokens: 5120, mostTokens: 12_300, timedOut: 0.0004 },
    mixedGroups: 0.38,
    environments: {
      "Owner/Game": { reward: 0.71, success: 0.41, meanTurns: 3.24, outOfTurns: 0.04 },
      "Owner/Other": { reward: 0.5, success: null, meanTurns: 2, outOfTurns: null },
    },
    ...changes,
  };
}
