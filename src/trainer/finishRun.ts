/** Resumes a run that is done: sends what its trackers lack, and starts nothing else. */

import type { Redactor } from "../core/secrets/redact.ts";
import { claimRun, reportContext } from "./claimRun.ts";
import type { RunEnd } from "./contract.ts";
import type { RunPlan, TrainerScope } from "./runPlan.ts";
import { type FlushOptions, sendLeftOvers } from "./tracking/leftOvers.ts";

/** Resolves with the end that the run had. @throws AppError `disk`, or as the claim of the folder does */
export async function finishRun(
  scope: TrainerScope,
  plan: RunPlan,
  pieces: Pick<FlushOptions, "uploadTo" | "wandbTo" | "variables"> & {
    readonly redactor: Redactor;
  },
): Promise<RunEnd> {
  const { redactor, ...others } = pieces;
  const lease = await claimRun(scope, plan, redactor, plan);
  scope.ear?.entered("finishing");
  await sendLeftOvers({
    ...others,
    ...{ lease, closers: scope.closers, step: plan.start.step },
    context: { ...reportContext(scope, plan, lease, redactor), totalSteps: plan.start.step },
    wandbRunId: plan.wandbRunId ?? null,
  });
  return { outcome: "done", folder: lease.folder };
}
