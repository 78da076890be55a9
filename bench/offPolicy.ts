/**
 * Measures the reward lost by training on older samples: the embedded calculator trained on-policy, with a lag of two steps and ppo's
 * clipped ratio, and with a lag of four steps and an unclipped, uncorrected ratio. The lag is exact (`max_steps_off_policy`), so that a
 * seed gives the same numbers everywhere. All arms share learning rate, updates, and steps: twice the model's usual learning rate and
 * two updates per step, because gentler settings show no loss at these lags.
 * Run: `npm run bench:offPolicy`, some minutes. Arguments: learning rate, updates per step, steps, seeds.
 */

import { setMaxListeners } from "node:events";
import { inBenchFolder, trainIn } from "./benchFolder.ts";

const LAST_STEPS = 5;
const [learningRate = 2e-3, substeps = 2, steps = 40, seeds = 3] = process.argv
  .slice(2)
  .map(Number);

interface Arm {
  readonly name: string;
  readonly lag: number;
  readonly loss: "ppo" | "importance_sampling";
}

const ARMS: readonly Arm[] = [
  { name: "on policy, ppo", lag: 0, loss: "ppo" },
  { name: "on policy, not clipped", lag: 0, loss: "importance_sampling" },
  { name: "2 steps behind, ppo", lag: 2, loss: "ppo" },
  { name: "4 steps behind, not clipped", lag: 4, loss: "importance_sampling" },
];

const configOf = ({ lag, loss }: Arm, seed: number): string => `
model_name: local/tiny-tool
run_name: run
seed: ${seed}
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 8
    nonterminal_reward: 0
    max_turns: 6
batch_size: 8
max_steps: ${steps}
max_steps_off_policy: ${lag}
loss_fn: ${loss}
learning_rate: ${learningRate}
num_substeps: ${substeps}
max_active_tasks: 64
save_every: 0
rolling_save_every: 0
`;

/** Mean reward over the last steps of a run. */
async function finalReward(arm: Arm, seed: number): Promise<number> {
  const rewards: number[] = [];
  await inBenchFolder((folder) =>
    trainIn(folder, "config", configOf(arm, seed), (event) => {
      if (event.kind === "step-finished") rewards.push(event.rewardMean ?? 0);
    }),
  );
  return mean(rewards.slice(-LAST_STEPS));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample standard deviation. */
function spread(values: readonly number[]): number {
  const center = mean(values);
  const squares = values.map((value) => (value - center) ** 2);
  return Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / (values.length - 1));
}

function line(cells: readonly string[]): void {
  const [name = "", ...numbers] = cells;
  console.log([name.padEnd(30), ...numbers.map((cell) => cell.padStart(8))].join(""));
}

console.log(
  `Mean reward of the last ${LAST_STEPS} of ${steps} steps; learning rate ${learningRate}, ${substeps} updates a step.`,
);
// As in the trainer: everything that a run waits for listens to the signal that ends it.
setMaxListeners(0);
const numbers = Array.from({ length: seeds }, (_, i) => i + 1);
line(["", "mean", "± sd", ...numbers.map((seed) => `seed ${seed}`)]);
for (const arm of ARMS) {
  const rewards: number[] = [];
  for (const seed of numbers) rewards.push(await finalReward(arm, seed));
  line([
    arm.name,
    ...[mean(rewards), spread(rewards), ...rewards].map((value) => value.toFixed(3)),
  ]);
}
