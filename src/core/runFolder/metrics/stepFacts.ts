/** The input of the metrics of a step: plain numbers, collected by the training loop. */

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
    /** Cut by the limit of tokens in a turn. */
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

/** What is known of an ended rollout before its group is scored; stored with groups that wait for their step. */
export const rolloutFactsSchema = z
  .object({
    /** Full name. */
    environment: z.string(),
    /** Position of the group in the step. */
    group: count,
    stop: z.string(),
    /** Class of the fault that ended it, for example `transient`; null when none did. */
    errorClass: z.string().nullable(),
    /** Whether its agent failed or took too long; absent without an agent. */
    agentFailed: z.boolean().optional(),
    /** Starts of the rollout, 1 without retries. */
    attempts: count,
    turns: z.array(turnFacts).readonly(),
    /** What the calls of each turn earned. */
    turnRewards: z.array(z.number()).readonly(),
    tools: z.array(toolCallFacts).readonly(),
    /** Tokens of the first prompt. */
    promptTokens: count,
    /** Tokens that came from the environment after the first prompt. */
    observationTokens: count,
    /** Between the rollout and the nearest of the limits that it was played with: of a turn, of its tokens, of what it sampled. */
    tokensLeft: z.number().int(),
    /** The tokens of all its requests, including those of earlier attempts. */
    usage: meteredUsageSchema,
    /** Restarts of the token stream within the rollout. */
    streamBreaks: count,
    queueS: z.number(),
    sessionS: z.number(),
    samplingS: z.number(),
  })
  .readonly();

/** One ended rollout, whether scored, failed, trained or not. */
export interface RolloutFacts extends z.infer<typeof rolloutFactsSchema> {
  /** After reduction and clamping; null when the rollout failed. */
  readonly reward: number | null;
  /** True when its group was compared with it, also where its advantage left nothing to send. */
  readonly isIncluded: boolean;
  /** True when data of it was sent to be trained. */
  readonly isSent: boolean;
  /** It is a success with at least this reward. */
  readonly successReward: number;
  /** Null unless it was trained on. */
  readonly advantage: number | null;
}

export interface GroupFacts {
  readonly group: number;
  /** Why it was not trained on; null when it was. */
  readonly excluded: string | null;
  /** Trained on although some of its rollouts failed. */
  readonly isPartial: boolean;
}

/** Parts that follow one another, as in the timeline, and the whole step. */
export interface StepTimes {
  readonly rolloutS: number;
  /** From the last rollout to the update, if there is one: forward passes, advantages, training data. */
  readonly prepareS: number;
  readonly trainS: number | null;
  /** From the results of the update until there was a sampler with the new weights. */
  readonly samplerS: number | null;
  readonly totalS: number;
}

export interface StepFacts {
  readonly step: number;
  readonly progress: {
    readonly epoch: number;
    readonly cursor: number;
    /** Null for a run without an end. */
    readonly doneFraction: number | null;
    readonly etaS: number | null;
    /** Sum over all attempts of the run. */
    readonly elapsedS: number;
    readonly optimizerUpdates: number;
    readonly attempt: number;
  };
  /** Full names of all environments of the run, not only of those in this step. */
  readonly environments: readonly string[];
  readonly learningRate: number;
  /** Null when nothing was trained, and when the service reports none. */
  readonly loss: number | null;
  /** As the service named them, for example `loss:sum`. */
  readonly serverMetrics: Readonly<Record<string, number>>;
  /** Updates of the weights; 0 = nothing was trained: the step was skipped. */
  readonly substeps: number;
  readonly groups: readonly GroupFacts[];
  readonly rollouts: readonly RolloutFacts[];
  /** What was sent to be trained. */
  readonly datums: readonly DatumTokens[];
  /** What `off_policy_correction` left out after its forward pass: compared, not trained. */
  readonly masked: readonly ComparedTokens[];
  /** Bounds of the loss function; null when it does not clip. */
  readonly clip: ClipBounds | null;
  readonly times: StepTimes;
  readonly usage: {
    /** For this step. */
    readonly step: TokenUsage;
    /** With this step. */
    readonly total: RunUsage;
    /** USD per million tokens; null when they are not known. */
    readonly prices: Prices | null;
  };
  /** Further metrics, for example `alarm` and `capacity`; wins on equal names. */
  readonly extra?: MetricsTree;
}
