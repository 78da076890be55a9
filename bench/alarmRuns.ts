/** Real runs on the embedded engine for the alarms: some go wrong in a known way, others do not. */

import { access, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { AlarmId } from "../src/core/config/fields/schema.ts";
import { errorMessage } from "../src/core/errors.ts";
import { startTraining } from "../src/trainer/trainer.ts";

export interface AlarmRun {
  readonly name: string;
  /** What has to fire; none for a healthy run. */
  readonly expected: readonly AlarmId[];
  readonly environment: "calculator" | "depot" | "number-hunt";
  readonly steps: number;
  /** Lines of the configuration beside those that all runs have. */
  readonly settings: readonly string[];
  /** Of the environment, likewise. */
  readonly environmentSettings?: readonly string[];
}

/** Ten times the usual learning rate of the embedded model, and more, is far too high. */
export const ALARM_RUNS: readonly AlarmRun[] = [
  {
    ...{ name: "calculator", environment: "calculator", steps: 40 },
    ...{ expected: [], settings: ["batch_size: 8"] },
  },
  {
    ...{ name: "depot", environment: "depot", steps: 25 },
    ...{ expected: [], settings: ["batch_size: 8"] },
  },
  {
    ...{ name: "far too high learning rate", environment: "calculator", steps: 28 },
    environmentSettings: ["nonterminal_reward: 0", "max_turns: 6"],
    expected: ["reward_decline", "advantage_collapse"],
    settings: ["batch_size: 8", "learning_rate: 0.02", "loss_fn: importance_sampling"],
  },
  {
    ...{ name: "4 steps behind, 4 updates, no clipping", environment: "calculator", steps: 40 },
    environmentSettings: ["nonterminal_reward: 0", "max_turns: 6"],
    expected: ["kl_flat_reward", "reward_decline", "advantage_collapse"],
    settings: [
      ...["batch_size: 4", "learning_rate: 0.002", "loss_fn: importance_sampling"],
      ...["num_substeps: 4", "max_steps_off_policy: 4"],
    ],
  },
  {
    ...{ name: "high learning rate, KL to the base", environment: "calculator", steps: 30 },
    environmentSettings: ["nonterminal_reward: 0", "max_turns: 6"],
    expected: ["kl_base_flat_reward"],
    settings: [
      ...["batch_size: 4", "learning_rate: 0.006", "loss_fn: importance_sampling"],
      "kl_coef: 0.0001",
    ],
  },
  {
    // Nothing is compared, so that whatever was sampled becomes more likely.
    ...{ name: "everything is rewarded alike", environment: "number-hunt", steps: 25 },
    expected: ["entropy_collapse"],
    settings: ["batch_size: 4", "learning_rate: 0.03", "advantage_calculation: direct"],
    environmentSettings: ["nonterminal_reward: 0.5", "max_turns: 2"],
  },
];

function configOf(run: AlarmRun, parent: string): string {
  const own = run.environmentSettings ?? ["nonterminal_reward: 0"];
  return `
model_name: local/tiny-tool
run_name: ${folderName(run)}
log_path: ${parent}
seed: 1
environments:
  local/${run.environment}: { splits: { train: {} }, num_rollouts: 8, ${own.join(", ")} }
max_steps: ${run.steps}
save_every: 0
rolling_save_every: 0
${run.settings.join("\n")}
`;
}

function folderName({ name }: AlarmRun): string {
  return name.replace(/\W+/g, "-");
}

/** The folder of a run below `parent`. It is trained unless it is there already, so that thresholds can be tried on the same runs. */
export async function trainedRun(run: AlarmRun, parent: string): Promise<string> {
  const folder = join(parent, folderName(run));
  const isThere = await access(join(folder, "metrics.jsonl")).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await mkdir(parent, { recursive: true });
  process.env["TINKER_RL_STORE"] = join(parent, "checkpoints");
  const configPath = join(parent, `${folderName(run)}.yaml`);
  await writeFile(configPath, configOf(run, parent));
  const { ended } = startTraining({
    owner: "terminal",
    programFolder: resolve("dist/trainer"),
    configPath,
    watch: () => undefined,
  });
  // A bad run may end with an error, for example when no group is left to train on; its metrics are there.
  await ended.catch((error: unknown) => console.log(`${run.name}: ${errorMessage(error)}`));
  return folder;
}
