/** What a run reports to its watchers, after the fact; a watcher cannot delay it. */

import type { Trend } from "../../../shared/trend.ts";
import type { AlarmNotice } from "../../alarms/evaluateAlarms.ts";
import type { EvaluatedModel, StoredResult } from "../../runFolder/evaluationLog.ts";
import type { Fit } from "../../runFolder/metrics/fitMetrics.ts";
import type { UsedTotal } from "../../usage/prices.ts";

export type ProgressEvent =
  /** A part of the preparation begins, in words for people. */
  | { readonly kind: "preparing"; readonly what: string }
  | {
      readonly kind: "started";
      readonly folder: string;
      readonly name: string;
      readonly model: string;
      /** The next step to run; above 0 after a resume. */
      readonly step: number;
      /** Null = endless. */
      readonly totalSteps: number | null;
      /** True when the run may end with its data, before all of these. */
      readonly isTotalAtMost: boolean;
      readonly groupsPerStep: number;
      /** Steps whose groups are sampled before it is their turn; 0 = on-policy. */
      readonly stepsAhead: number;
      readonly environments: readonly string[];
      /** Those of a supervised run; absent for reinforcement learning. */
      readonly examples?: { readonly trained: number; readonly heldOut: number } | undefined;
    }
  | {
      /** An evaluation by itself begins; nothing is trained. */
      readonly kind: "evaluation-started";
      readonly folder: string;
      readonly name: string;
      /** Names of the models, in order. */
      readonly models: readonly string[];
    }
  | {
      readonly kind: "evaluation-ended";
      readonly outcome: "done" | "stopped";
      readonly used: UsedTotal;
    }
  | { readonly kind: "warning"; readonly message: string }
  /** Worth knowing, and nothing is wrong. */
  | { readonly kind: "notice"; readonly message: string }
  | { readonly kind: "step-started"; readonly step: number; readonly rollouts: number }
  | {
      readonly kind: "rollout-finished";
      readonly step: number;
      readonly done: number;
      readonly rollouts: number;
      /** Null when it failed. */
      readonly reward: number | null;
      readonly sampledTokens: number;
    }
  | {
      readonly kind: "training";
      readonly step: number;
      readonly datums: number;
      readonly tokens: number;
    }
  | {
      readonly kind: "step-finished";
      readonly step: number;
      readonly totalSteps: number | null;
      /** True when the run may end with its data, before all of these. */
      readonly isTotalAtMost: boolean;
      /** Over all scored rollouts; null when none was. */
      readonly rewardMean: number | null;
      /** Trend of the mean reward, including this step. */
      readonly trend: Trend;
      /** Null when nothing was trained. */
      readonly loss: number | null;
      readonly trainedGroups: number;
      readonly groups: number;
      /** Tokens of groups that give nothing to train on. */
      readonly untrainedTokens: number;
      /** Those that failed or took too long, whatever the reward. */
      readonly failedAgents: number;
      readonly learningRate: number;
      readonly rolloutS: number;
      readonly trainS: number | null;
      readonly totalS: number;
      readonly sampledTokens: number;
      readonly etaS: number | null;
      /** Total of the run, including this step. */
      readonly used: UsedTotal;
    }
  | {
      /** A step of supervised fine-tuning has ended. */
      readonly kind: "batch-finished";
      readonly step: number;
      readonly totalSteps: number | null;
      /** Mean over the trained tokens, in nats. */
      readonly loss: number | null;
      /** After the step; null where it was not measured. */
      readonly heldOutLoss: number | null;
      /** How far the run has come, including this step; null before the first loss. */
      readonly fit: Fit | null;
      readonly examples: number;
      /** That were trained. */
      readonly tokens: number;
      readonly learningRate: number;
      readonly totalS: number;
      readonly etaS: number | null;
      /** Total of the run, including this step. */
      readonly used: UsedTotal;
    }
  | {
      readonly kind: "evaluating";
      /** Completed steps. */
      readonly step: number;
      readonly rollouts: number;
      readonly purpose: "start" | "periodic" | "end" | "asked";
      /** Absent for the weights of the run itself. */
      readonly model?: EvaluatedModel;
    }
  | {
      /** An evaluation continues beside the rollouts of a step; its end is `evaluated`. */
      readonly kind: "evaluating-beside";
      /** Completed steps. */
      readonly step: number;
      readonly done: number;
      readonly rollouts: number;
    }
  | {
      readonly kind: "evaluated";
      readonly step: number;
      readonly purpose: "start" | "periodic" | "end" | "asked";
      readonly model?: EvaluatedModel;
      readonly results: readonly StoredResult[];
      /** Those of the first evaluation in the run folder; null for that one. */
      readonly baseline: readonly StoredResult[] | null;
    }
  | {
      readonly kind: "checkpoint";
      readonly name: string;
      readonly step: number;
      readonly checkpointKind: string;
      readonly statePath: string;
    }
  /** Something goes wrong in the run, from this step on. */
  | (AlarmNotice & {
      readonly kind: "alarm";
      readonly step: number;
      readonly title: string;
    })
  | { readonly kind: "alarm-over"; readonly step: number; readonly title: string }
  | { readonly kind: "paused"; readonly step: number }
  | { readonly kind: "continued"; readonly step: number }
  | {
      readonly kind: "settings-changed";
      /** The first step with the new settings. */
      readonly step: number;
      readonly keys: readonly string[];
    }
  /** After training, while rollouts are still being uploaded. */
  | {
      readonly kind: "uploading";
      /** Rollouts that have not been taken. */
      readonly waiting: number;
      /** True for the last of these: what waits now waits for a resume. */
      readonly isOver: boolean;
    }
  /** After training, while metrics are still being sent to Weights & Biases. */
  | { readonly kind: "reporting"; readonly waiting: number; readonly isOver: boolean }
  | {
      readonly kind: "ended";
      readonly outcome: "done" | "stopped";
      readonly folder: string;
      /** Completed steps. */
      readonly step: number;
      /** Trend of the mean reward; null without a step in this attempt. */
      readonly trend: Trend | null;
      /** How far a supervised run has come; null without a step in this attempt. */
      readonly fit: Fit | null;
      /** Why the run ended before its plan did; null when it did not, or was asked to stop. */
      readonly reason: string | null;
      readonly used: UsedTotal;
    };

export type Watcher = (event: ProgressEvent) => void;
