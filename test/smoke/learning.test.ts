import { expect, it } from "vitest";
import { LEARNING_RATE, learningConfig, STEPS } from "../integration/learningConfig.ts";
import { evaluated, trainLocally } from "../integration/localRun.ts";

it("training on the embedded engine raises the reward on tasks it never trained on, greedy and sampled", async () => {
  const events = await trainLocally({
    config: learningConfig({ steps: STEPS, learningRate: LEARNING_RATE }),
  });
  for (const temperature of [0, 1]) {
    const before = evaluated(events, "start", temperature).rewardMean;
    const after = evaluated(events, "end", temperature).rewardMean;
    expect(after - before, `temperature ${temperature}`).toBeGreaterThanOrEqual(0.3);
  }
});
