/** Events that a run reports to its watchers after the fact; a watcher cannot delay the run. */

import type { Trend } from "../../../shared/trend.ts";
import type { AlarmNotice } from "../../alarms/evaluateAlarms.ts";
import type { EvaluatedModel, StoredResult } from "../../runFolder/evaluationLog.ts";
import type { Fit } from "../../runFolder/metrics/fitMetrics.ts";
import type { UsedTotal } from "../../usage/prices.ts";

export type ProgressEvent =
  /** A part of the preparation starts; `what` is for display. */
  | { readonly kind: "preparing"; readonly what: string }
  | {
      readonly kind: "started";
      readonly folder: string;
      readonly name: string;
      readonly model: string;
      /** The next step; above 0 after a resume. */
      readonly step: number;
      /** Null when endless. */
      readonly totalSteps: number | null;
      /** True when the run may run out of data before `totalSteps`. */
      readonly isTotalAtMost: boolean;
      /** `stop_at_step`; null when it is not ahead. */
      readonly stopAtStep: number | null;
      readonly groupsPerStep: number;
      /** How many steps ahead groups are sampled; 0 is on-policy. */
      readonly stepsAhead: number;
      readonly environments: readonly string[];
      /** Only for supervised runs. */
      readonly examples?: { readonly trained: number; readonly heldOut: number } | undefined;
    }
  | {
      /** A standalone evaluation starts; nothing is trained. */
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
  /** Information without a problem. */
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
      /** True when the run may run out of data before `totalSteps`. */
      readonly isTotalAtMost: boolean;
      /** Over all scored rollouts; null without any. */
      readonly rewardMean: number | null;
      /** The same; null if fewer than 90% of the rollouts are scored. */
      readonly decidingReward: number | null;
      /** Trend of the mean reward, including this step. */
      readonly trend: Trend;
      /** Null when nothing was trained. */
      readonly loss: number | null;
      readonly trainedGroups: number;
      readonly groups: number;
      /** Tokens of groups with nothing to train on. */
      readonly untrainedTokens: number;
      /** Agents that failed or timed out, whatever the reward. */
      readonly failedAgents: number;
      /** Rollouts that a crash of the environment ended. */
      readonly crashed: number;
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
      /** A supervised step has ended. */
      readonly kind: "batch-finished";
      readonly step: number;
      readonly totalSteps: number | null;
      /** Mean over the trained tokens, in nats. */
      readonly loss: number | null;
      /** After the step; null when not measured. */
      readonly heldOutLoss: number | null;
      /** Progress of the fit including this step; null before the first loss. */
      readonly fit: Fit | null;
      readonly examples: number;
      /** Trained tokens. */
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
      /** Absent for the run's own weights. */
      readonly model?: EvaluatedModel;
    }
  | {
      /** Progress of an evaluation that runs alongside a step; it ends with `evaluated`. */
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
      /** Results of the first evaluation in the run folder; null for the first one itself. */
      readonly baseline: readonly StoredResult[] | null;
    }
  | {
      readonly kind: "checkpoint";
      readonly name: string;
      readonly step: number;
      readonly checkpointKind: string;
      readonly statePath: string;
    }
  /** An alarm starts at this step. */
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
      /** Rollouts not yet accepted. */
      readonly waiting: number;
      /** True for the last of these events: the rest waits for a resume. */
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
      /** Progress of a supervised run's fit; null without a step in this attempt. */
      readonly fit: Fit | null;
      /** Why the run ended before its plan did; null if it completed or was asked to stop. */
      readonly reason: string | null;
      readonly used: UsedTotal;
    };

export type Watcher = (event: ProgressEvent) => void;
