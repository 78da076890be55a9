/** The status of a run as a pure function of its progress events. */

import type { ProgressEvent } from "../../core/training/run/progress.ts";
import type { RunStatus } from "../../shared/control.ts";

export const INITIAL_STATUS: RunStatus = {
  pid: process.pid,
  phase: "preparing",
  preparing: null,
  folder: null,
  step: 0,
  totalSteps: null,
  rollouts: null,
  evaluated: null,
  rewardMean: null,
  trend: null,
  attached: 0,
};

/** The status after `event`. */
export function advanceStatus(status: RunStatus, event: ProgressEvent): RunStatus {
  switch (event.kind) {
    case "preparing":
      return { ...status, preparing: event.what };
    case "started": {
      const { folder, step } = event;
      const totalSteps = knownTotal(event);
      return { ...status, phase: "running", preparing: null, folder, step, totalSteps };
    }
    case "evaluation-started":
      return { ...status, phase: "running", preparing: null, folder: event.folder };
    case "evaluation-ended":
      return { ...status, phase: event.outcome, evaluated: null };
    case "step-started":
      return { ...status, rollouts: { done: 0, total: event.rollouts } };
    case "evaluating":
      return { ...status, evaluated: { done: 0, total: event.rollouts, isBesideStep: false } };
    case "evaluating-beside": {
      const { done, rollouts: total } = event;
      return { ...status, evaluated: { done, total, isBesideStep: true } };
    }
    case "rollout-finished": {
      const count = { done: event.done, total: event.rollouts };
      return status.evaluated?.isBesideStep === false
        ? { ...status, evaluated: { ...count, isBesideStep: false } }
        : { ...status, rollouts: count };
    }
    case "batch-finished": {
      const { step, totalSteps } = event;
      return { ...status, step: step + 1, totalSteps, rollouts: null };
    }
    case "step-finished": {
      const { step, decidingReward: rewardMean, trend } = event;
      const totalSteps = knownTotal(event);
      return { ...status, step: step + 1, totalSteps, rewardMean, trend, rollouts: null };
    }
    case "evaluated":
      return { ...status, evaluated: null };
    case "paused":
      return { ...status, phase: "paused", rollouts: null };
    case "continued":
      return { ...status, phase: "running" };
    case "ended":
      return {
        ...status,
        phase: event.outcome,
        folder: event.folder,
        rollouts: null,
        evaluated: null,
      };
    case "training":
    case "checkpoint":
    case "settings-changed":
    case "uploading":
    case "reporting":
    case "notice":
    case "warning":
    case "alarm":
    case "alarm-over":
      return status;
  }
}

/** Null if the total is only an upper bound; displays then use the estimate in the latest metrics row. */
function knownTotal({
  totalSteps,
  isTotalAtMost,
}: Pick<Extract<ProgressEvent, { kind: "started" }>, "totalSteps" | "isTotalAtMost">):
  | number
  | null {
  return isTotalAtMost ? null : totalSteps;
}
