/** The input of a step's metrics: plain numbers collected by the training loop. */

import * as z from "zod";
import type { Prices } from "../../usage/prices.ts";
import type { RunUsage, TokenUsage } from "../../usage/tokenUsage.ts";
import { meteredUsageSchema } from "../../usage/usageMeter.ts";
import type { ClipBounds, ComparedTokens, DatumTokens } from "./divergence.ts";
import type { MetricsTree } from "./metricsTree.ts";

const count = z.number().int().nonnegative();

const turnFacts = z
  .object({
    sampledTokens: count,
    thinkingTokens: count,
    /** Cut off by the limit on tokens per turn. */
    isTruncated: z.boolean(),
    isParsed: z.boolean(),
    hasUnclosedThink: z.boolean(),
    isMissingLogprobs: z.boolean(),
  })
  .readonly();

export type TurnFacts = z.infer<typeof turnFacts>;

const toolCallFacts = z
  .object({ name: z.string(), isError: z.boolean(), durationS: z.number() })
  .readonly();

export type ToolCallFacts = z.infer<typeof toolCallFacts>;

/** Facts about an ended rollout before its group is scored; also stored with groups that wait for their step. */
export const rolloutFactsSchema = z
  .object({
    /** Full name. */
    environment: z.string(),
    /** Position of the group in the step. */
    group: count,
    stop: z.string(),
    /** Class of the error that ended it, for example `transient`; null if none did. */
    errorClass: z.string().nullable(),
    /** Whether its agent failed or timed out; absent without an agent. */
    agentFailed: z.boolean().optional(),
    /** Beginning of the answer to the call that ended it, if the environment caused the end. */
    environmentFault: z.string().optional(),
    /** Number of starts; 1 without retries. */
    attempts: count,
    turns: z.array(turnFacts).readonly(),
    /** The reward earned by each turn's calls. */
    turnRewards: z.array(z.number()).readonly(),
    tools: z.array(toolCallFacts).readonly(),
    /** Tokens of the first prompt. */
    promptTokens: count,
    /** Tokens from the environment after the first prompt. */
    observationTokens: count,
    /** Tokens left until the nearest limit that could have ended it: of its last turn, in total, and sampled. */
    tokensLeft: z.number().int(),
    /** The tokens of all its requests, including earlier attempts. */
    usage: meteredUsageSchema,
    /** Restarts of the token stream within the rollout. */
    streamBreaks: count,
    queueS: z.number(),
    sessionS: z.number(),
    samplingS: z.number(),
  })
  .readonly();

/** An ended rollout, whether scored, failed, trained on or not. */
export interface RolloutFacts extends z.infer<typeof rolloutFactsSchema> {
  /** After reduction and clamping; null if the rollout failed. */
  readonly reward: number | null;
  /** True if it was compared within its group, even if its advantage left nothing to send. */
  readonly isIncluded: boolean;
  /** True if any of its data was sent for training. */
  readonly isSent: boolean;
  /** With at least this reward it is a success. */
  readonly successReward: number;
  /** Null unless it was trained on. */
  readonly advantage: number | null;
}

export interface GroupFacts {
  readonly group: number;
  /** Why it was not trained on; null if it was. */
  readonly excluded: string | null;
  /** Trained on although some of its rollouts failed. */
  readonly isPartial: boolean;
}

/** Durations of the consecutive parts of a step, as in the timeline, and of the whole step. */
export interface StepTimes {
  readonly rolloutS: number;
  /** From the last rollout to the update, if any: forward passes, advantages, training data. */
  readonly prepareS: number;
  readonly trainS: number | null;
  /** From the update's results until a sampler has the new weights. */
  readonly samplerS: number | null;
  readonly totalS: number;
}

export interface StepFacts {
  readonly step: number;
  readonly progress: {
    readonly epoch: number;
    readonly cursor: number;
    /** Null for a run without a defined end. */
    readonly doneFraction: number | null;
    readonly etaS: number | null;
    /** Sum over all attempts of the run. */
    readonly elapsedS: number;
    readonly optimizerUpdates: number;
    readonly attempt: number;
  };
  /** Full names of all environments of the run, not only of those in this step. */
  readonly environments: readonly string[];
  /** Whether each environment has the same share of every step's groups. */
  readonly hasFixedMix: boolean;
  readonly learningRate: number;
  /** Null if nothing was trained, or if the service does not report it. */
  readonly loss: number | null;
  /** Under the service's names, for example `loss:sum`. */
  readonly serverMetrics: Readonly<Record<string, number>>;
  /** Number of weight updates; 0 = the step was skipped. */
  readonly substeps: number;
  readonly groups: readonly GroupFacts[];
  readonly rollouts: readonly RolloutFacts[];
  /** The data sent for training. */
  readonly datums: readonly DatumTokens[];
  /** Data that `off_policy_correction` excluded after its forward pass: compared but not trained on. */
  readonly masked: readonly ComparedTokens[];
  /** Clip bounds of the loss function; null if it does not clip. */
  readonly clip: ClipBounds | null;
  readonly times: StepTimes;
  readonly usage: {
    /** Of this step. */
    readonly step: TokenUsage;
    /** Of the run, including this step. */
    readonly total: RunUsage;
    /** USD per million tokens; null if unknown. */
    readonly prices: Prices | null;
  };
  /** Additional metrics, for example `alarm` and `capacity`; they win on equal names. */
  readonly extra?: MetricsTree;
}
