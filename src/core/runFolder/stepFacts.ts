/** The input of the metrics of a step: plain numbers, collected by the training loop. */

import type { ClipBounds, DatumTokens } from "./divergence.ts";
import type { MetricsTree } from "./metricsTree.ts";

/** One ended rollout, whether scored, failed, trained or not. */
export interface RolloutFacts {
  /** Full name. */
  readonly environment: string;
  /** Position of the group in the step. */
  readonly group: number;
  /** After reduction and clamping; null when the rollout failed. */
  readonly reward: number | null;
  /** True when it was trained on. */
  readonly isIncluded: boolean;
  /** Null unless it was trained on. */
  readonly advantage: number | null;
  readonly stop: string;
  /** Class of the fault that ended it, for example `transient`; null when none did. */
  readonly errorClass: string | null;
  /** Starts of the rollout, 1 without retries. */
  readonly attempts: number;
  readonly turns: readonly TurnFacts[];
  readonly tools: readonly ToolCallFacts[];
  /** Tokens of the first prompt. */
  readonly promptTokens: number;
  /** Tokens that came from the environment after the first prompt. */
  readonly observationTokens: number;
  /** Prompt tokens sent for sampling over all turns. */
  readonly prefillTokens: number;
  /** Restarts of the token stream within the rollout. */
  readonly streamBreaks: number;
  readonly queueS: number;
  readonly sessionS: number;
  readonly samplingS: number;
}

export interface TurnFacts {
  readonly sampledTokens: number;
  readonly thinkingTokens: number;
  /** Cut by the limit of tokens in a turn. */
  readonly isTruncated: boolean;
  readonly isParsed: boolean;
  readonly hasUnclosedThink: boolean;
  readonly isMissingLogprobs: boolean;
}

export interface ToolCallFacts {
  readonly name: string;
  readonly isError: boolean;
  readonly durationS: number;
}

export interface GroupFacts {
  readonly group: number;
  /** Why it was not trained on; null when it was. */
  readonly excluded: string | null;
  /** Trained on although some of its rollouts failed. */
  readonly isPartial: boolean;
}

export interface StepTimes {
  readonly rolloutS: number;
  readonly trainS: number | null;
  readonly samplerS: number | null;
  readonly totalS: number;
}

export interface TokenCounts {
  readonly sampled: number;
  readonly prefill: number;
  readonly trained: number;
}

export interface StepFacts {
  readonly step: number;
  readonly progress: {
    readonly epoch: number;
    readonly cursor: number;
    /** Null for a run without an end. */
    readonly doneFraction: number | null;
    readonly etaS: number | null;
    readonly optimizerUpdates: number;
    readonly attempt: number;
  };
  /** Full names of all environments of the run, not only of those in this step. */
  readonly environments: readonly string[];
  /** A rollout with at least this reward is a success. */
  readonly successReward: number;
  readonly learningRate: number;
  /** Null when nothing was trained, and when the service reports none. */
  readonly loss: number | null;
  /** As the service named them, for example `loss:sum`. */
  readonly serverMetrics: Readonly<Record<string, number>>;
  /** Updates of the weights; 0 = nothing was trained: the step was skipped. */
  readonly substeps: number;
  readonly groups: readonly GroupFacts[];
  readonly rollouts: readonly RolloutFacts[];
  readonly datums: readonly DatumTokens[];
  /** Bounds of the loss function; null when it does not clip. */
  readonly clip: ClipBounds | null;
  readonly times: StepTimes;
  /** Totals of the run with this step. */
  readonly totalTokens: TokenCounts;
  /** Further metrics, for example `alarm` and `capacity`; wins on equal names. */
  readonly extra?: MetricsTree;
}
