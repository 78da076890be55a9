import { describe, expect, it } from "vitest";
import { evaluated, trainLocally } from "./localRun.ts";
import { withReferenceDatums } from "./referenceDatums.ts";

/** Small steps and a higher learning rate than the preset, to be done in seconds. */
function config(options: { readonly steps: number; readonly learningRate: number }): string {
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

const STEPS = 30;
const LEARNING_RATE = 2e-3;

describe("training on the embedded engine", () => {
  it("raises the reward on tasks it never trained on, greedy and sampled", async () => {
    const events = await trainLocally({
      config: config({ steps: STEPS, learningRate: LEARNING_RATE }),
    });
    for (const temperature of [0, 1]) {
      const before = evaluated(events, "start", temperature).rewardMean;
      const after = evaluated(events, "end", temperature).rewardMean;
      expect(after - before, `temperature ${temperature}`).toBeGreaterThanOrEqual(0.3);
    }
  });

  it("changes nothing with a learning rate of 0", async () => {
    const events = await trainLocally({ config: config({ steps: 4, learningRate: 0 }) });
    const before = evaluated(events, "start", 1).rewardMean;
    const after = evaluated(events, "end", 1).rewardMean;
    expect(Math.abs(after - before)).toBeLessThanOrEqual(0.05);
  });

  it("learns nothing from the original program's misplaced training data", async () => {
    // The probe of the loss would notice that its data comes to another one.
    const unchecked = "probe_server: false\n";
    const events = await trainLocally({
      config: config({ steps: STEPS, learningRate: LEARNING_RATE }) + unchecked,
      wrapClient: withReferenceDatums,
    });
    const before = evaluated(events, "start", 1).rewardMean;
    const after = evaluated(events, "end", 1).rewardMean;
    expect(after - before).toBeLessThanOrEqual(0.05);
  });
});
