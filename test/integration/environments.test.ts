import { join } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod";
import type { TrainingClient } from "../../src/core/tinker/trainingClient.ts";
import { readLines, trainLocally } from "./localRun.ts";

const CONFIG = `
model_name: local/tiny-tool
environments:
  local/calculator:
    splits: { train: { num_samples: 8 } }
    num_rollouts: 4
    temperature: 0.9
    reward_reduction: sum
  local/depot:
    splits: { train: { num_samples: 4 } }
    num_rollouts: 6
    temperature: 0.6
    reward_reduction: last
batch_size: 6
max_steps: 2
`;

const rowSchema = z.looseObject({
  rollout: z.looseObject({
    env: z.record(z.string(), z.looseObject({ reward: z.looseObject({ count: z.number() }) })),
  }),
});
const bodySchema = z.looseObject({
  environment: z.string(),
  group: z.number(),
  rollout: z.number(),
  rewards: z.array(z.number()),
  rewardBreakdown: z.looseObject({ reduction: z.string(), reduced: z.number() }),
});

/** Counts the turns sampled at each temperature. */
function noteTemperatures(client: TrainingClient, seen: Map<number, number>): TrainingClient {
  return {
    ...client,
    ephemeralSampler: async () => {
      const sampler = await client.ephemeralSampler();
      return {
        ...sampler,
        sample: (request, options) => {
          seen.set(request.temperature, (seen.get(request.temperature) ?? 0) + 1);
          return sampler.sample(request, options);
        },
      };
    },
  };
}

it("two environments train in one run, each with its own settings and metrics", async () => {
  const turnsAt = new Map<number, number>();
  const events = await trainLocally({
    config: CONFIG,
    wrapClient: (client) => noteTemperatures(client, turnsAt),
  });
  const started = events.find((event) => event.kind === "started");
  if (started === undefined) throw new Error("the run did not start");
  for (const step of [0, 1]) {
    const lines = await readLines(join(started.folder, "rollouts", `step-00000${step}.jsonl`));
    const bodies = lines.map((line) => bodySchema.parse(line));
    const [calculator, depot] = ["local/calculator", "local/depot"].map((name) =>
      bodies.filter(({ environment }) => environment === name),
    );
    expect(new Set(calculator?.map(({ rollout }) => rollout))).toEqual(new Set([0, 1, 2, 3]));
    expect(new Set(depot?.map(({ rollout }) => rollout))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    for (const { rewards, rewardBreakdown } of depot ?? []) {
      if (rewards.length > 0) expect(rewardBreakdown.reduced).toBe(rewards.at(-1));
    }
    expect(new Set(calculator?.map(({ rewardBreakdown }) => rewardBreakdown.reduction))).toEqual(
      new Set(["sum"]),
    );
    const row = rowSchema.parse((await readLines(join(started.folder, "metrics.jsonl")))[step]);
    expect(row.rollout.env["calculator"]?.reward.count).toBe(calculator?.length);
    expect(row.rollout.env["depot"]?.reward.count).toBe(depot?.length);
  }
  expect([...turnsAt.keys()].sort()).toEqual([0.6, 0.9]);
}, 60_000);
