/** The position of a run between two steps, and what is saved of it. */

import { metricAt } from "../../runFolder/metrics/metricsTree.ts";
import { decidingReward } from "../../runFolder/metrics/trendMetrics.ts";
import type { RunState } from "../../runFolder/state.ts";
import type { UsageLog } from "../../runFolder/usageLog.ts";
import {
  addTokens,
  NO_RUN_USAGE,
  type RunUsage,
  subtractTokens,
  type TokenUsage,
} from "../../usage/tokenUsage.ts";
import type { RunContext } from "../run/context.ts";
import { taskCounts } from "../tasks/dataset.ts";
import type { RunSnapshot } from "./checkpointWriter.ts";
import type { StepEnd } from "./step.ts";

/** What `state.json` stores and a resume starts from. */
export interface LoopPosition {
  /** The next step. */
  readonly step: number;
  readonly cursor: number;
  readonly optimizerUpdates: number;
  readonly counters: RunState["counters"];
  /** Groups of the next steps that were already issued; absent if there are none. */
  readonly issued?: Pick<RunState, "pending" | "samplers" | "curriculum">;
}

export interface RunIdentity {
  readonly runId: string;
  readonly configHash: string;
  readonly generation: number;
  /** The run's id on Weights & Biases; null or absent when not reported there. */
  readonly wandb?: string | null;
}

export const START: LoopPosition = {
  step: 0,
  cursor: 0,
  optimizerUpdates: 0,
  counters: {
    tokens: NO_RUN_USAGE,
    seconds: 0,
    consecutive_empty_steps: 0,
  },
};

/** The position after a step. */
export function positionAfter(
  { step, optimizerUpdates, counters }: LoopPosition,
  { cursor, usage, seconds, updates }: StepEnd,
): LoopPosition {
  return {
    step: step + 1,
    cursor,
    optimizerUpdates: optimizerUpdates + updates,
    counters: {
      tokens: usage,
      seconds,
      consecutive_empty_steps: updates === 0 ? counters.consecutive_empty_steps + 1 : 0,
    },
  };
}

/** The snapshot to save at a position; `metrics` are those of the last completed step. */
export function snapshotAt(
  { sequence, services: { chat }, storage: { usage } }: RunContext,
  { step, cursor, optimizerUpdates, counters, issued }: LoopPosition,
  { runId, generation, wandb }: RunIdentity,
  metrics: RunSnapshot["metrics"],
): RunSnapshot {
  return {
    step,
    epoch: Math.floor(cursor / sequence.epochLength),
    position: cursor,
    metrics,
    state: (last) => ({
      schema_version: 3,
      run_ids: { local: runId, wandb: wandb ?? null },
      step,
      optimizer_updates: optimizerUpdates,
      dataset: { fingerprint: sequence.fingerprint, tasks: taskCounts(sequence), cursor },
      pending: issued?.pending ?? [],
      samplers: issued?.samplers ?? [],
      curriculum: issued?.curriculum,
      counters: { ...counters, tokens: { ...counters.tokens, evaluation: usage.evaluation } },
      prompt_date: chat.date,
      last_checkpoint: last,
      generation,
    }),
  };
}

/** The few metrics that a list of checkpoints shows and is ordered by. */
export function headlineMetrics({ row }: StepEnd): RunSnapshot["metrics"] {
  return {
    "rollout/reward/mean": decidingReward(row),
    loss: metricAt(row, "loss"),
    lr: metricAt(row, "lr"),
  };
}

/**
 * Adds the usage since the save. What does not wait for its step must be repeated, so it counts as discarded.
 * @throws AppError `disk`
 */
export async function withUsage(
  { storage: { usage } }: Pick<RunContext, "storage">,
  start: LoopPosition,
  isWaiting: Parameters<UsageLog["read"]>[0],
): Promise<LoopPosition> {
  const { tokens } = start.counters;
  const logged = await usage.read(isWaiting);
  const finished = subtractTokens(logged.training, logged.waiting);
  const repeated = subtractTokens(finished, tokens.cumulative);
  const position = withTokens(start, {
    cumulative: addTokens(tokens.cumulative, repeated),
    discarded: addTokens(tokens.discarded, repeated),
    evaluation: logged.evaluation,
  });
  const seconds = Math.max(start.counters.seconds, logged.seconds);
  return { ...position, counters: { ...position.counters, seconds } };
}

/** Counts and logs the tokens of a server check, which belong to no step. */
export function withServerCheck(
  { storage }: Pick<RunContext, "storage">,
  position: LoopPosition,
  tokens: TokenUsage,
): LoopPosition {
  storage.usage.add({ for: "server_check", step: position.step, tokens });
  const usage = position.counters.tokens;
  return withTokens(position, { ...usage, cumulative: addTokens(usage.cumulative, tokens) });
}

function withTokens(position: LoopPosition, tokens: RunUsage): LoopPosition {
  return { ...position, counters: { ...position.counters, tokens } };
}
