/** Runs one step, from sampling to the update, on rollouts that the test scripts. */

import type { Config } from "../../../src/core/config/fields/schema.ts";
import type { SamplingClient } from "../../../src/core/tinker/samplingClient.ts";
import { GroupQueue } from "../../../src/core/training/generation/groupQueue.ts";
import type { RunContext } from "../../../src/core/training/run/context.ts";
import { StepAlarms } from "../../../src/core/training/step/alarms.ts";
import type { StepBeginning, StepInput } from "../../../src/core/training/step/gatherStepFacts.ts";
import { beginStep, recordStep, type StepOutput } from "../../../src/core/training/step/step.ts";
import type { TaskItem } from "../../../src/core/training/tasks/dataset.ts";
import { NO_RUN_USAGE } from "../../../src/core/usage/tokenUsage.ts";
import { result, scriptedEnvironment } from "../rollout/scriptedEnvironment.ts";
import { call, encode, ended, scriptedSampler } from "../rollout/scriptedModel.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "./builders.ts";
import { aContext } from "./fakeContext.ts";

/** A step's groups, issued as the loop issues them. */
export interface Issued {
  readonly step: number;
  readonly items: readonly TaskItem[];
  readonly sampler: SamplingClient;
  /** Updates included in the sampler's weights. */
  readonly updates: number;
}

export function issued(
  context: RunContext,
  { step, items, sampler, updates }: Issued,
): StepBeginning["take"] {
  const queue = new GroupQueue();
  queue.issue(context, {
    step,
    isStepKnown: true,
    items,
    policy: { sampler, version: step, updates, behind: 0 },
    settingsHash: "h",
  });
  return () => queue.take(context, step, items.length);
}

/** Runs one step and appends its row. */
export async function runStep(
  context: RunContext,
  input: StepBeginning & Omit<StepInput, "fromMs">,
): Promise<StepOutput> {
  const fromMs = context.ports.clock.monotonic();
  return recordStep(context, { ...input, fromMs }, await beginStep(context, input));
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
  const output = await context.clock.run(
    runStep(context, {
      step: 0,
      take: issued(context, {
        step: 0,
        items: groups.map((_, position) => context.sequence.itemAt(position)),
        sampler,
        updates: 0,
      }),
      saveSampler: () => context.services.client.ephemeralSampler(),
      cursor: groups.length,
      optimizerUpdates: 0,
      usage: NO_RUN_USAGE,
      secondsUntilNow: () => 0,
      elapsedS: [],
      extra: {},
      alarms: new StepAlarms(),
    }),
  );
  return { client: context.client, output };
}
