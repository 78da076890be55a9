/** Pauses the run at the first rollout that failed, for people who look for a mistake. */

import type { FinishedRollout } from "../../rollout/rollout.ts";
import { withoutEnd } from "../../util/textEdges.ts";
import type { RunContext } from "../run/context.ts";
import { report } from "../run/report.ts";

/** Pauses the run after the step in progress when `group_failures` says so and the rollout failed. */
export async function pauseAtFailure(
  context: RunContext,
  { record, task }: FinishedRollout,
): Promise<void> {
  const { config, control } = context;
  if (config.group_failures !== "fail_fast" || record.reward !== null || control.isPausing) return;
  control.pause();
  const { step, group, rollout } = task;
  const place = `Step ${step + 1}, group ${group + 1}, rollout ${rollout + 1}`;
  const error = record.error ?? `it ended with ${record.stop} and without a reward`;
  const message = `${place} failed: ${withoutEnd(error, /[.\s]/)}. The run pauses after this step because of group_failures: fail_fast; look at the rollout, then continue or stop the run.`;
  const data = { group, rollout };
  await report(context.reporting, { step, level: "warn", kind: "rollout-failed", message, data });
}
