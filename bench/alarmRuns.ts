/** Real runs on the embedded engine for testing alarms: some go wrong in a known way, others are healthy. */

import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { AlarmId } from "../src/core/config/fields/schema.ts";
import { errorMessage } from "../src/core/errors.ts";
import { trainIn } from "./benchFolder.ts";

type EnvironmentName = "calculator" | "depot" | "number-hunt" | "key-vault";

export interface AlarmRun {
  readonly name: string;
  /** Alarms that must fire; empty for a healthy run. */
  readonly expected: readonly AlarmId[];
  readonly environment: EnvironmentName;
  /** A second environment with the same settings. */
  readonly secondEnvironment?: EnvironmentName;
  readonly steps: number;
  readonly seed?: number;
  /** Configuration lines in addition to the common ones. */
  readonly settings: readonly string[];
  /** Environment settings in the same form. */
  readonly environmentSettings?: readonly string[];
}

/** Kinds of healthy runs, each trained with many seeds: common configurations, varied one setting at a time. */
const HEALTHY_KINDS: readonly Omit<AlarmRun, "expected">[] = [
  { name: "plain", environment: "calculator", steps: 24, settings: ["batch_size: 4"] },
  {
    name: "KL to the base",
    environment: "calculator",
    steps: 24,
    settings: ["batch_size: 4", "kl_coef: 0.01"],
  },
  {
    name: "2 steps off-policy",
    environment: "calculator",
    steps: 24,
    settings: ["batch_size: 4", "max_steps_off_policy: 2"],
  },
  {
    name: "refill",
    environment: "number-hunt",
    steps: 24,
    settings: ["batch_size: 4", "refill: true"],
  },
  {
    name: "two environments",
    environment: "calculator",
    steps: 24,
    secondEnvironment: "number-hunt",
    settings: ["batch_size: 4"],
  },
];

/** `count` healthy runs, evenly spread over the kinds. */
export function healthyRuns(count: number): readonly AlarmRun[] {
  return Array.from({ length: count }, (_, i) => {
    const kind = HEALTHY_KINDS[i % HEALTHY_KINDS.length];
    if (kind === undefined) throw new Error("no kinds");
    const seed = 1 + Math.floor(i / HEALTHY_KINDS.length);
    return { ...kind, name: `${kind.name}, seed ${seed}`, expected: [], seed };
  });
}

/** For the embedded model, ten times the usual learning rate is already far too high. */
export const BAD_RUNS: readonly AlarmRun[] = [
  {
    name: "far too high learning rate",
    environment: "calculator",
    steps: 28,
    environmentSettings: ["nonterminal_reward: 0", "max_turns: 6"],
    expected: ["reward_decline", "advantage_collapse", "response_length"],
    settings: ["batch_size: 8", "learning_rate: 0.02", "loss_fn: importance_sampling"],
  },
  {
    name: "4 steps behind, 4 updates, no clipping",
    environment: "calculator",
    steps: 40,
    environmentSettings: ["nonterminal_reward: 0", "max_turns: 6"],
    expected: ["kl_flat_reward", "reward_decline", "advantage_collapse"],
    settings: [
      ...["batch_size: 4", "learning_rate: 0.002", "loss_fn: importance_sampling"],
      ...["num_substeps: 4", "max_steps_off_policy: 4"],
    ],
  },
  {
    name: "high learning rate, KL to the base",
    environment: "calculator",
    steps: 30,
    environmentSettings: ["nonterminal_reward: 0", "max_turns: 6"],
    expected: ["kl_base_flat_reward"],
    settings: [
      ...["batch_size: 4", "learning_rate: 0.006", "loss_fn: importance_sampling"],
      "kl_coef: 0.0001",
    ],
  },
  {
    // No comparison within groups, so whatever was sampled becomes more likely.
    name: "everything is rewarded alike",
    environment: "number-hunt",
    steps: 25,
    expected: ["entropy_collapse"],
    settings: ["batch_size: 4", "learning_rate: 0.03", "advantage_calculation: direct"],
    environmentSettings: ["nonterminal_reward: 0.5", "max_turns: 2"],
  },
  {
    name: "turns of 8 tokens",
    environment: "calculator",
    steps: 3,
    expected: ["truncated_turns"],
    settings: ["batch_size: 4", "max_response_tokens: 8"],
  },
  {
    name: "temperature 2",
    environment: "calculator",
    steps: 3,
    expected: ["parse_success"],
    settings: ["batch_size: 4", "max_response_tokens: 64"],
    environmentSettings: ["nonterminal_reward: 0", "temperature: 2"],
  },
  {
    name: "one turn of the two that it takes",
    environment: "calculator",
    steps: 3,
    expected: ["missing_rewards"],
    settings: ["batch_size: 4"],
    environmentSettings: ["nonterminal_reward: null", "max_turns: 1"],
  },
  {
    name: "every rollout fails",
    environment: "calculator",
    steps: 8,
    expected: ["equal_rewards"],
    settings: ["batch_size: 4"],
    environmentSettings: ["nonterminal_reward: 0", "max_turns: 1"],
  },
  {
    name: "only the likeliest token",
    environment: "calculator",
    steps: 3,
    expected: ["identical_rollouts"],
    settings: ["batch_size: 4"],
    environmentSettings: ["nonterminal_reward: 0", "top_k: 1"],
  },
];

/** Metrics that never occur with embedded services, planted into the rows of a healthy run from step {@link PLANTED_FROM} on. */
export const PLANTED_ROWS: Readonly<Partial<Record<AlarmId, Readonly<Record<string, number>>>>> = {
  tool_errors: { "rollout/failed_tool_calls/mean": 3, "rollout/tool_calls/mean": 4 },
  nonfinite_rewards: { "rollout/nonfinite_rewards": 2 },
  logprob_gap: { "optim/kl_sample_train_v2": 0.18 },
  logprob_gap_critical: { "optim/kl_sample_train_v2": 0.6 },
  stale_sampler: { "async/staleness/max": 3, "async/staleness/beyond_allowed": 1 },
  event_loop_lag: { "client/event_loop_lag_ms": 400, "time/total_s": 20 },
  low_success_reward: { "rollout/success_frac": 1, "group/frac_mixed": 0.9 },
};

/** Counted from 0. */
export const PLANTED_FROM = 10;
/** Name of the healthy run. */
export const PLANTED_IN = "plain, seed 1";

function configOf(run: AlarmRun, parent: string): string {
  const own = run.environmentSettings ?? ["nonterminal_reward: 0"];
  const names = [run.environment, ...[run.secondEnvironment].flatMap((name) => name ?? [])];
  return `
model_name: local/tiny-tool
run_name: ${folderName(run)}
log_path: ${parent}
seed: ${run.seed ?? 1}
environments:
${names.map((name) => `  local/${name}: { splits: { train: {} }, num_rollouts: 8, ${own.join(", ")} }`).join("\n")}
max_steps: ${run.steps}
save_every: 0
rolling_save_every: 0
${run.settings.join("\n")}
`;
}

function folderName({ name }: AlarmRun): string {
  return name.replace(/\W+/g, "-");
}

/** The folder of a run below `parent`. An existing run is reused, so that thresholds can be tried on the same runs. */
export async function trainedRun(run: AlarmRun, parent: string): Promise<string> {
  const folder = join(parent, folderName(run));
  const isThere = await access(join(folder, "metrics.jsonl")).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await mkdir(parent, { recursive: true });
  try {
    await trainIn(parent, folderName(run), configOf(run, parent));
  } catch (error) {
    // A bad run may end with an error, for example if no group is left to train on, but its metrics exist.
    console.log(`${run.name}: ${errorMessage(error)}`);
  }
  return folder;
}
