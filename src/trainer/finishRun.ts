/** Resumes a run that is done: sends what its trackers lack, and starts nothing else. */

import type { Redactor } from "../core/secrets/redaction/redactor.ts";
import { claimRun, reportContext } from "./claimRun.ts";
import type { RunPlan, TrainerScope } from "./runPlan.ts";
import { type FlushOptions, flushTrackers } from "./tracking/flushTrackers.ts";
import type { RunEnd } from "./types.ts";

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
  scope.controlChannel?.onPhase("finishing");
  await flushTrackers({
    ...others,
    ...{ lease, cleanup: scope.cleanup, step: plan.start.step },
    context: { ...reportContext(scope, plan, lease, redactor), totalSteps: plan.start.step },
    wandbRunId: plan.wandbRunId ?? null,
  });
  return { outcome: "done", folder: lease.folder };
}
