import { describe, expect, it } from "vitest";
import type { TaskDifficulty } from "../../../../src/core/openreward/catalogue.ts";
import { knownSuccess } from "../../../../src/core/training/step/knownSuccess.ts";
import { taskId } from "../../../../src/shared/taskId.ts";
import { aConfig, anEnvironment } from "../builders.ts";

function difficulty(index: number, meanReward: number, rollouts: number | null): TaskDifficulty {
  return { index, meanReward, minReward: null, maxReward: null, rollouts };
}

describe("known success rates of a run's tasks", () => {
  const config = aConfig({
    environments: {
      "Owner/Game": anEnvironment({ success_reward: 2 }),
      "Owner/New": anEnvironment(),
    },
  });

  it("are success probabilities, for tasks that were played often enough", async () => {
    const known = await knownSuccess({
      config,
      services: {
        knownDifficulty: async ({ environment }) =>
          environment === "Owner/New"
            ? []
            : [
                difficulty(0, 1, 8),
                difficulty(1, 3, 4),
                difficulty(2, -1, 100),
                difficulty(3, 1, 3),
                difficulty(4, 1, null),
              ],
      },
    });
    const name = (index: number) => taskId({ environment: "Owner/Game", split: "train", index });
    expect([...known]).toEqual([
      [name(0), 0.5],
      [name(1), 1],
      [name(2), 0],
    ]);
  });

  it("are empty without a source of known difficulty", async () => {
    expect(await knownSuccess({ config, services: {} })).toEqual(new Map());
  });
});
