import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/core/config/fields/schema.ts";
import { type PlayedGroup, readBasis } from "../../../src/core/estimate/basis.ts";
import type { FolderFiles } from "../../../src/core/ports.ts";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { createUsageLog } from "../../../src/core/runFolder/usageLog.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { aRecord, stepFacts } from "../runFolder/builders.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";
import { aConfig, ENVIRONMENT } from "../training/builders.ts";

const FOLDER = "run";

interface Played {
  readonly reward: number | null;
  readonly advantage: number | null;
  readonly trainingUse: "trained" | `excluded:${string}`;
}

/** The groups of a past run, as the basis of a run with these settings. */
async function playedGroups(groups: readonly (readonly Played[])[], config: Partial<Config>) {
  const fileSystem = createMemoryFileSystem();
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: FOLDER });
  const usage = createUsageLog({ fileSystem, folder: FOLDER, log: silentLog });
  for (const [group, rollouts] of groups.entries()) {
    for (const [rollout, { reward }] of rollouts.entries()) {
      const taskKey = `${ENVIRONMENT}:train:${group}#${group}`;
      await store.addRollout(aRecord({ step: 0, group, rollout, taskKey, reward }));
      const tokens = { ...NO_TOKENS, sampled: 10 };
      usage.add({ for: "rollout", position: group, version: 0, rollout, tokens, data: 20 });
    }
    const scored = rollouts.map(({ advantage, trainingUse }, rollout) => ({
      group,
      rollout,
      advantage,
      trainingUse,
    }));
    await store.addScores(0, scored);
  }
  await usage.flush();
  await appendMetrics(fileSystem, FOLDER, buildMetricsRow(stepFacts({ step: 0 })));
  const basis = await readBasis(fileSystem, FOLDER, aConfig(config));
  return basis.groups;
}

/** The share of each group that a run with these settings would train on. */
async function shares(groups: readonly (readonly Played[])[], config: Partial<Config>) {
  return (await playedGroups(groups, config)).map(({ trainedFraction }) => trainedFraction);
}

const trained = (reward: number, advantage: number): Played => ({
  reward,
  advantage,
  trainingUse: "trained",
});
const dropped = (reward: number): Played => ({
  reward,
  advantage: null,
  trainingUse: "excluded:zero_variance",
});
const failed: Played = { reward: null, advantage: null, trainingUse: "excluded:failed" };

const DRO = { loss_fn: "dro", zero_variance: "keep" } as const;

async function aPlayedRollout(fileSystem: FolderFiles): Promise<void> {
  const usage = createUsageLog({ fileSystem, folder: FOLDER, log: silentLog });
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: FOLDER });
  const taskKey = `${ENVIRONMENT}:train:0#0`;
  await store.addRollout(aRecord({ step: 0, group: 0, rollout: 0, taskKey }));
  const tokens = { ...NO_TOKENS, sampled: 10 };
  usage.add({ for: "rollout", position: 0, version: 0, rollout: 0, tokens });
  await usage.flush();
}

it("the training time of a past run is scaled to the planned number of passes", async () => {
  const fileSystem = createMemoryFileSystem();
  await aPlayedRollout(fileSystem);
  const times = { rolloutS: 4, prepareS: 0, trainS: 6, samplerS: 1, totalS: 12 };
  const extra = { optim: { num_passes: 3 } };
  await appendMetrics(fileSystem, FOLDER, buildMetricsRow(stepFacts({ step: 0, times, extra })));
  const { times: single } = await readBasis(fileSystem, FOLDER, aConfig());
  expect(single).toMatchObject([{ rolloutS: 4, trainS: 3, totalS: 8 }]);
  const { times: same } = await readBasis(fileSystem, FOLDER, aConfig({ num_passes: 3 }));
  expect(same).toMatchObject([{ trainS: 7, totalS: 12 }]);
});

it("has the evaluation rollouts whose environment is recorded", async () => {
  const fileSystem = createMemoryFileSystem();
  await aPlayedRollout(fileSystem);
  const usage = createUsageLog({ fileSystem, folder: FOLDER, log: silentLog });
  const tokens = { ...NO_TOKENS, sampled: 10 };
  const cell = { environment: ENVIRONMENT, temperature: 0 };
  usage.add({ for: "evaluation", step: 0, ...cell, tokens });
  usage.add({ for: "evaluation", step: 0, tokens });
  await usage.flush();
  await appendMetrics(fileSystem, FOLDER, buildMetricsRow(stepFacts({ step: 0 })));
  const { evaluated } = await readBasis(fileSystem, FOLDER, aConfig());
  expect(evaluated).toEqual([{ ...cell, tokens }]);
});

it("the server check of one attempt counts, and not those of resumes", async () => {
  const fileSystem = createMemoryFileSystem();
  await aPlayedRollout(fileSystem);
  const usage = createUsageLog({ fileSystem, folder: FOLDER, log: silentLog });
  const tokens = { ...NO_TOKENS, sampled: 10 };
  for (const step of [0, 0, 5]) usage.add({ for: "server_check", step, tokens });
  await usage.flush();
  await appendMetrics(fileSystem, FOLDER, buildMetricsRow(stepFacts({ step: 0 })));
  const { serverCheck } = await readBasis(fileSystem, FOLDER, aConfig());
  expect(serverCheck).toEqual(tokens);
});

it("the sampler's time counts once, even when the update's time includes it, as in older rows", async () => {
  const fileSystem = createMemoryFileSystem();
  await aPlayedRollout(fileSystem);
  const time = { rollout_s: 4, train_s: 7, sampler_s: 1, total_s: 12 };
  await appendMetrics(fileSystem, FOLDER, { step: 0, time });
  const { times } = await readBasis(fileSystem, FOLDER, aConfig());
  expect(times).toMatchObject([{ rolloutS: 4, trainS: 7, totalS: 12 }]);
});

describe("the rollouts of a past run that a planned run would train on", () => {
  const mixed = [trained(1, 1.2), trained(0, -1.2), trained(0.5, 0), failed];

  it("are those with an advantage, and others if the loss learns from them", async () => {
    expect(await shares([mixed], {})).toEqual([0.5]);
    expect(await shares([mixed], DRO)).toEqual([0.75]);
    expect(await shares([mixed], { kl_coef: 0.1 })).toEqual([0.75]);
  });

  it("exclude those masked by both runs' correction, which still cost its forward pass", async () => {
    const trainingUse = "excluded:off_policy_correction";
    const masked: Played = { reward: 0, advantage: null, trainingUse };
    const group = [trained(1, 1.2), masked, masked, failed];
    const corrected = await playedGroups([group], { off_policy_correction: "sequence_mask" });
    expect(corrected).toMatchObject([{ trainedFraction: 0.25, passedFraction: 0.75 }]);
    const uncorrected = await playedGroups([group], {});
    expect(uncorrected).toMatchObject([{ trainedFraction: 0.75, passedFraction: 0.75 }]);
  });

  it("have lengths that overlong rollouts do not count in", async () => {
    const overlong: Played = { reward: 0, advantage: null, trainingUse: "excluded:overlong" };
    const [{ rollouts }] = (await playedGroups([[...mixed, overlong]], {})) as [PlayedGroup];
    expect(rollouts.map(({ data }) => data)).toEqual([20, 20, 20, 0, 0]);
    expect(rollouts.map(({ isTrained }) => isTrained)).toEqual([true, true, false, false, false]);
  });

  it("exclude groups whose rewards differ only by rounding", async () => {
    expect(await shares([[dropped(0.3), dropped(0.1 + 0.2)]], {})).toEqual([0]);
    expect(await shares([[dropped(0.3), dropped(0.1 + 0.2)]], DRO)).toEqual([1]);
  });

  it("include groups with equal rewards if the plan keeps them, whatever the past run did", async () => {
    const equal = [
      [dropped(1), dropped(1)],
      [trained(0, 0), trained(0, 0)],
    ];
    expect(await shares(equal, {})).toEqual([0, 0]);
    expect(await shares(equal, { zero_variance: "keep" })).toEqual([0, 0]);
    expect(await shares(equal, DRO)).toEqual([1, 1]);
    expect(await shares(equal, { advantage_calculation: "direct" })).toEqual([1, 0]);
  });
});
