/** Why a run ends after steps that trained nothing: after so many in a row, or when no step of its plan trained anything. */

import { formatQuantity } from "../../shared/format.ts";
import { AppError } from "../errors.ts";
import type { FinishedRollout } from "../rollout/rollout.ts";

/** `last` are the rollouts of the last of `count` such steps; `isMasked` when `off_policy_correction` has left nothing of them. */
export function emptySteps(
  count: number,
  last: readonly FinishedRollout[],
  isMasked: boolean,
): AppError {
  if (isMasked) return maskedSteps(count);
  const failed = last.find(({ record }) => record.error !== null)?.record.error ?? null;
  const isFailure = failed !== null && last.every(({ record }) => record.reward === null);
  const why = isFailure
    ? `in the last one all ${last.length} rollouts failed. The first: ${failed}`
    : "in every group the rollouts failed or all had the same reward.";
  const remedy = isFailure
    ? "Fix that cause, then resume the run."
    : "Look at rollouts with `tinker-rl show`; a higher temperature or num_rollouts, other tasks, or a larger max_failing_rollouts may help.";
  return new AppError(
    "empty-steps",
    `${formatQuantity(count, "step")} in a row gave nothing to train on: ${why} The run is saved. ${remedy}`,
    { configPath: "max_consecutive_empty_steps" },
  );
}

function maskedSteps(count: number): AppError {
  return new AppError(
    "empty-steps",
    `${formatQuantity(count, "step")} in a row gave nothing to train on: in the last one off_policy_correction left no token, because the policy moved too far from the one that sampled. The run is saved. A lower learning_rate or max_steps_off_policy, or wider bounds in off_policy_correction_config may help.`,
    { configPath: "off_policy_correction" },
  );
}
