/** Runs that sample groups steps ahead; tokens and rewards depend only on the seeds of the samples. */

import { rolloutSeed } from "../../../../src/core/rollout/seeds.ts";
import {
  flattenMetrics,
  type MetricsRow,
} from "../../../../src/core/runFolder/metrics/metricsTree.ts";
import type { SampleRequest, SamplingClient } from "../../../../src/core/tinker/samplingClient.ts";
import { sha256 } from "../../../../src/node/hash.ts";
import { result, scriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import { call, encode, ended } from "../../rollout/scriptedModel.ts";
import { ENVIRONMENT } from "../builders.ts";
import { linesOf, PATHS } from "../fakeContext.ts";
import { type LoopRun, type LoopRunOptions, prepareRun } from "./prepareRun.ts";

export interface AheadOptions extends LoopRunOptions {
  readonly stepsAhead: number;
  /** How long a sample takes, by its seed. */
  readonly sampleMs?: (seed: number) => number;
  /** The reward of the rollout whose first sample has this seed. */
  readonly rewardOf?: (seed: number) => number;
}

export function prepareAhead({
  stepsAhead,
  sampleMs = () => 0,
  rewardOf = (seed) => (seed % 97) / 97,
  ...options
}: AheadOptions) {
  const onCall = ({ args }: { readonly args: { readonly reward?: unknown } }) =>
    result("", { reward: Number(args.reward), finished: true });
  const run = prepareRun({
    remote: scriptedEnvironment([{ onCall }]),
    ...options,
    config: { max_steps_off_policy: stepsAhead, rolling_save_every: 1, ...options.config },
  });
  const { context } = run;
  const asked: SampleRequest[] = [];
  const sampler: SamplingClient = {
    ...run.sampler,
    sample: async (request, { meter, signal } = {}) => {
      asked.push(request);
      const { seed = 0 } = request;
      const ms = sampleMs(seed);
      if (ms > 0) await context.clock.sleep(ms, signal);
      const tokens = encode(ended(call("answer", { reward: rewardOf(seed) })));
      const logprobs = tokens.map(() => -0.5);
      meter?.add({ sampled: tokens.length, prefill_uncached: request.prompt.length });
      return { tokens, logprobs, stopReason: "stop" };
    },
  };
  const { client } = context;
  client.sampler = sampler;
  const { optimStep } = client;
  // The fake's own norm counts the updates of its session.
  client.optimStep = async (params) => {
    await optimStep.call(client, params);
    return { metrics: { "grad_norm:mean": 1 } };
  };
  return { ...run, asked };
}

export type AheadRun = ReturnType<typeof prepareAhead>;

/** Stops the run during update number `count`, once all issued groups have ended. */
export function stopAtUpdate({ context: { client, clock, control } }: AheadRun, count: number) {
  const { optimStep } = client;
  client.optimStep = async (params) => {
    const updated = await optimStep.call(client, params);
    if (client.adamCalls.length < count) return updated;
    await clock.sleep(60_000);
    control.stop();
    return updated;
  };
}

/** The values of a metric, step by step. */
export function metric({ context }: LoopRun, name: string): readonly unknown[] {
  return linesOf(context, PATHS.metrics).map((row) => flattenMetrics(row as MetricsRow)[name]);
}

/** The loss calls of the updates. */
export const updates = ({ context }: AheadRun) => context.client.lossCalls;

export const seeds = ({ asked }: AheadRun) => asked.map(({ seed }) => seed ?? -1);

const TASKS = 8;
const POSITIONS = 200;

/** The positions of groups of two, by the seeds of their first samples. */
const places = new Map(
  Array.from({ length: POSITIONS * 2 }, (_, i) => {
    const [position, rollout] = [Math.floor(i / 2), i % 2];
    const taskKey = `${ENVIRONMENT}:train:${position % TASKS}#${position}`;
    return [rolloutSeed(sha256, 42, { taskKey, rollout }, 0), { position, rollout }] as const;
  }),
);

/** The position of the task that a sample belongs to, and its rollout. */
export function placeOfSeed(
  seed: number,
): { readonly position: number; readonly rollout: number } | undefined {
  return places.get(seed);
}
