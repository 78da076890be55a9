/** Runs one step, from sampling to the update, on rollouts that the test scripts. */

import type { Config } from "../../../src/core/config/fields/schema.ts";
import type { SamplingClient } from "../../../src/core/tinker/samplingClient.ts";
import { GroupQueue } from "../../../src/core/training/generation/groupQueue.ts";
import type { RunContext } from "../../../src/core/training/run/context.ts";
import { StepAlarms } from "../../../src/core/training/step/alarms.ts";
import { beginStep, recordStep, type StepOutput } from "../../../src/core/training/step/step.ts";
import { NO_RUN_USAGE, type RunUsage } from "../../../src/core/usage/tokenUsage.ts";
import { result, scriptedEnvironment } from "../rollout/scriptedEnvironment.ts";
import { call, encode, ended, scriptedSampler } from "../rollout/scriptedModel.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "./builders.ts";
import { aContext } from "./fakeContext.ts";

interface StepRun {
  readonly sampler: SamplingClient;
  readonly groups?: number;
  /** The position of the first group's task. */
  readonly cursor?: number;
  /** The steps before it made one update each. */
  readonly step?: number;
  readonly usage?: RunUsage;
}

/** Plays and trains one step and appends its row. */
export async function runStep(
  context: RunContext,
  { sampler, groups = 1, cursor = 0, step = 0, usage = NO_RUN_USAGE }: StepRun,
): Promise<StepOutput> {
  const queue = new GroupQueue();
  queue.issue(context, {
    step,
    isStepKnown: true,
    items: Array.from({ length: groups }, (_, i) => context.sequence.itemAt(cursor + i)),
    policy: { sampler, version: step, updates: step, behind: 0 },
    settingsHash: "h",
  });
  const input = {
    step,
    take: () => queue.take(context, step, groups),
    saveSampler: () => context.services.client.ephemeralSampler(),
    cursor,
    optimizerUpdates: step,
    usage,
    fromMs: context.ports.clock.monotonic(),
    secondsUntilNow: () => 0,
    elapsedS: [],
    extra: {},
    alarms: new StepAlarms(),
  };
  return recordStep(context, input, await beginStep(context, input));
}

/** A rollout of one turn; a higher `length` makes it longer. */
export interface Played {
  readonly reward: number;
  readonly length: number;
}

function turnText({ reward, length }: Played): string {
  return ended(call("answer", { reward, pad: "x ".repeat(length) }));
}

/** Number of tokens that the model samples in such a rollout. */
export function sampledTokens(played: Played): number {
  return encode(turnText(played)).length;
}

/** Plays and trains groups of equal size. */
export async function playStep(
  groups: readonly (readonly Played[])[],
  changes: Partial<Config> = {},
) {
  const num_rollouts = groups[0]?.length ?? 0;
  const environments = { [ENVIRONMENT]: anEnvironment({ num_rollouts }) };
  const onCall = ({ args }: { readonly args: { readonly reward?: unknown } }) =>
    result("", { reward: Number(args.reward), finished: true });
  const context = aContext({
    remote: scriptedEnvironment([{ onCall }]),
    config: aConfig({ environments, advantage_calculation: "centered", ...changes }),
  });
  const sampler = scriptedSampler(groups.flat().map(turnText));
  const output = await context.clock.run(runStep(context, { groups: groups.length, sampler }));
  return { client: context.client, output };
}
