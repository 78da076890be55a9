/** The configuration of tests that train until the reward rises. */

/** Small steps and a higher learning rate than the preset, so that a run takes seconds. */
export function learningConfig(options: {
  readonly steps: number;
  readonly learningRate: number;
}): string {
  return `
model_name: local/tiny-tool
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 8
    nonterminal_reward: 0
    max_turns: 6
batch_size: 8
max_steps: ${options.steps}
learning_rate: ${options.learningRate}
max_active_tasks: 64
save_every: 0
rolling_save_every: 0
evaluation:
  splits: { local/calculator: [test] }
  num_samples: 96
`;
}

export const STEPS = 16;
export const LEARNING_RATE = 2e-3;
