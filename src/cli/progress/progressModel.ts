/** The screen's state of a run: a reducer over progress events. Pure. */

import type { ProgressEvent } from "../../core/training/run/progress.ts";

/** What the run is doing now. */
type Activity =
  | { readonly kind: "idle" }
  | { readonly kind: "preparing"; readonly what: string }
  | {
      readonly kind: "paused";
      readonly step: number;
      /** The activity to return to after the pause. */
      readonly next: Activity;
    }
  | {
      readonly kind: "rollouts";
      /** Null during an evaluation. */
      readonly step: number | null;
      readonly done: number;
      readonly total: number;
      /** Mean over the rollouts scored so far; null before the first. */
      readonly rewardMean: number | null;
      readonly failed: number;
    }
  | { readonly kind: "uploading" | "reporting"; readonly waiting: number }
  | {
      readonly kind: "training";
      readonly step: number;
      readonly datums: number;
      readonly tokens: number;
    };

export interface ProgressModel {
  readonly activity: Activity;
  /** Folder of the run; null before it is known. */
  readonly folder: string | null;
  /** True once there is a checkpoint to resume from. */
  readonly canResume: boolean;
  /** Null = endless. */
  readonly totalSteps: number | null;
  readonly isTotalAtMost: boolean;
  /** Number of steps sampled ahead. */
  readonly stepsAhead: number;
  /** Mean rewards of the last steps, oldest first. */
  readonly recentRewards: readonly (number | null)[];
  /** Range of rewards seen so far, at least 0 to 1, so that a bar height means the same in every line. */
  readonly rewardRange: { readonly low: number; readonly high: number };
  /** Failed rollouts of the step. */
  readonly failed: number;
  /** Progress of an evaluation concurrent with the step; null if there is none. */
  readonly evaluatedBeside: { readonly done: number; readonly total: number } | null;
  /** True once the run itself has reported its end. */
  readonly hasEnded: boolean;
}

/** Number of rewards in a sparkline. */
export const SPARKLINE_STEPS = 8;

export const INITIAL_PROGRESS: ProgressModel = {
  activity: { kind: "idle" },
  folder: null,
  canResume: false,
  totalSteps: null,
  isTotalAtMost: false,
  stepsAhead: 0,
  recentRewards: [],
  rewardRange: { low: 0, high: 1 },
  failed: 0,
  evaluatedBeside: null,
  hasEnded: false,
};

/** The state after `event`. */
export function advanceProgress(model: ProgressModel, event: ProgressEvent): ProgressModel {
  switch (event.kind) {
    case "preparing":
      return { ...model, activity: { kind: "preparing", what: event.what } };
    case "started": {
      const { folder, totalSteps, isTotalAtMost, stepsAhead, step } = event;
      // A resumed run repeats steps.
      const plan = { folder, totalSteps, isTotalAtMost, stepsAhead };
      const begun = { ...plan, canResume: step > 0, recentRewards: [], evaluatedBeside: null };
      return { ...model, ...idle(), ...begun };
    }
    case "evaluation-started":
      return { ...model, ...idle(), folder: event.folder };
    case "evaluation-ended":
      return { ...model, ...idle(), hasEnded: true };
    case "step-started":
      return { ...model, failed: 0, activity: noRollouts(event.step, event.rollouts) };
    case "rollout-finished":
      return addRollout(model, event);
    case "training": {
      const { step, datums, tokens } = event;
      return { ...model, activity: { kind: "training", step, datums, tokens } };
    }
    case "step-finished": {
      // Changed settings may have changed the total.
      const { totalSteps, isTotalAtMost, rewardMean } = event;
      return { ...model, ...idle(), totalSteps, isTotalAtMost, ...addReward(model, rewardMean) };
    }
    case "batch-finished":
      return { ...model, ...idle(), totalSteps: event.totalSteps };
    case "evaluating":
      return { ...model, activity: noRollouts(null, event.rollouts) };
    case "evaluating-beside":
      return { ...model, evaluatedBeside: { done: event.done, total: event.rollouts } };
    case "evaluated":
      return {
        ...model,
        // The concurrent step continues.
        activity: model.evaluatedBeside === null ? idle().activity : model.activity,
        evaluatedBeside: null,
      };
    case "ended":
      return { ...model, ...idle(), evaluatedBeside: null, folder: event.folder, hasEnded: true };
    case "checkpoint":
      return { ...model, canResume: true };
    case "uploading":
    case "reporting": {
      const { kind, waiting, isOver } = event;
      return isOver ? { ...model, ...idle() } : { ...model, activity: { kind, waiting } };
    }
    case "paused":
      return { ...model, activity: { kind: "paused", step: event.step, next: model.activity } };
    case "continued":
      return model.activity.kind === "paused" ? { ...model, activity: model.activity.next } : model;
    case "settings-changed":
    case "notice":
    case "warning":
    case "alarm":
    case "alarm-over":
      return model;
  }
}

function idle(): { readonly activity: Activity } {
  return { activity: { kind: "idle" } };
}

function noRollouts(step: number | null, total: number): Activity {
  return { kind: "rollouts", step, done: 0, total, rewardMean: null, failed: 0 };
}

function addRollout(
  model: ProgressModel,
  event: Extract<ProgressEvent, { kind: "rollout-finished" }>,
): ProgressModel {
  const { done, rollouts: total, reward } = event;
  const { activity } = model;
  const before = activity.kind === "rollouts" ? activity : null;
  const failed = (before?.failed ?? 0) + (reward === null ? 1 : 0);
  const scored = done - failed;
  const mean = before?.rewardMean ?? 0;
  const rewardMean =
    reward === null || scored < 1 ? (before?.rewardMean ?? null) : mean + (reward - mean) / scored;
  const step = before === null ? event.step : before.step;
  return {
    ...model,
    failed,
    activity: { kind: "rollouts", step, done, total, rewardMean, failed },
  };
}

function addReward(
  { recentRewards, rewardRange }: ProgressModel,
  reward: number | null,
): Pick<ProgressModel, "recentRewards" | "rewardRange"> {
  return {
    recentRewards: [...recentRewards, reward].slice(-SPARKLINE_STEPS),
    rewardRange: {
      low: Math.min(rewardRange.low, reward ?? 0),
      high: Math.max(rewardRange.high, reward ?? 0),
    },
  };
}
