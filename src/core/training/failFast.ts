/** Lets somebody who looks for a mistake look at the first rollout that failed. */

import type { FinishedRollout } from "../rollout/rollout.ts";
import type { RunContext } from "./context.ts";

/** Asks the run to wait after the step under way when `group_failures` says so and the rollout failed. */
export async function pauseAtFailure(
  { config, control, events, redactor, watch }: RunContext,
  { record, reward, task }: FinishedRollout,
): Promise<void> {
  if (config.group_failures !== "fail_fast" || reward !== null || control.isPausing) return;
  control.pause();
  const { step, group, rollout } = task;
  const place = `Step ${step + 1}, group ${group + 1}, rollout ${rollout + 1}`;
  const told = `${place} failed: ${record.error ?? `it ended with ${record.stop} and without a reward`}`;
  const clean = redactor
    .clean(told)
    .replace(/\s*\n\s*/g, " ")
    .replace(/[.\s]+$/, "");
  const message = `${clean}. The run pauses after this step, as group_failures: fail_fast says; look at the rollout, then continue or stop the run.`;
  await events.record({
    step,
    level: "warn",
    kind: "rollout-failed",
    message,
    data: { group, rollout },
  });
  watch({ kind: "warning", message });
}
