import { describe, expect, it } from "vitest";
import { LEARNING_RATE, learningConfig, STEPS } from "./learningConfig.ts";
import { evaluated, trainLocally } from "./localRun.ts";
import { withReferenceDatums } from "./referenceDatums.ts";

describe("training on the embedded engine", () => {
  it("raises the reward on held-out tasks, greedy and sampled", async () => {
    const config = learningConfig({ steps: STEPS, learningRate: LEARNING_RATE });
    const events = await trainLocally({ config });
    for (const temperature of [0, 1]) {
      const before = evaluated(events, "start", temperature).rewardMean;
      const after = evaluated(events, "end", temperature).rewardMean;
      expect(after - before, `temperature ${temperature}`).toBeGreaterThanOrEqual(0.3);
    }
  });

  it("changes nothing with a learning rate of 0", async () => {
    const events = await trainLocally({ config: learningConfig({ steps: 4, learningRate: 0 }) });
    const before = evaluated(events, "start", 1).rewardMean;
    const after = evaluated(events, "end", 1).rewardMean;
    expect(Math.abs(after - before)).toBeLessThanOrEqual(0.05);
  });

  it("learns nothing from the original program's misaligned training data", async () => {
    // The loss probe would detect that its data was changed.
    const unchecked = "probe_server: false\n";
    const events = await trainLocally({
      config: learningConfig({ steps: STEPS, learningRate: LEARNING_RATE }) + unchecked,
      wrapClient: withReferenceDatums,
    });
    const before = evaluated(events, "start", 1).rewardMean;
    const after = evaluated(events, "end", 1).rewardMean;
    expect(after - before).toBeLessThanOrEqual(0.05);
  });
});
