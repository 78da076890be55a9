/** Resumes a finished run: sends pending tracker data, without starting or connecting anything for training. */

import { readPriceFile } from "../../core/runFolder/priceFile.ts";
import { readUsage } from "../../core/runFolder/usageLog.ts";
import { usedTotal } from "../../core/usage/prices.ts";
import { claimRun } from "../plan/claimRun.ts";
import type { RunPlan, TrainerOptions } from "../plan/runPlan.ts";
import type { RunEnd } from "../plan/types.ts";
import type { Variables } from "../services/variables.ts";
import { startTrackers, type TrackerAddresses } from "../tracking/trackers.ts";
import { reportContext } from "./runContext.ts";

/** Resolves with the run's end. @throws AppError `disk`, or like claiming the folder */
export async function finishRun(
  options: TrainerOptions,
  plan: RunPlan,
  variables: Variables,
  addresses: TrackerAddresses,
): Promise<RunEnd> {
  const { cleanup, control, controlChannel, watch } = options;
  const { step } = plan.start;
  // Nothing is repeated, and the row of the final evaluation has the number of a step that never runs.
  const firstStep = step + 1;
  const lease = await claimRun(options, plan, { start: { ...plan.start, step: firstStep } });
  const { folder } = lease;
  control.endSteps();
  controlChannel?.onPhase("finishing");
  watch({ kind: "notice", message: "The run is done. There is nothing left to train." });
  await lease.update({ phase: "finishing" });
  const { uploads, wandb } = await startTrackers({
    context: reportContext(options, plan, lease, step),
    addresses,
    variables,
    file: lease.file,
    firstStep,
    knownRunId: plan.wandbRunId ?? null,
    cleanup,
  });
  await uploads?.drain("done", control.signal);
  await wandb?.finish(0, control.signal);
  await lease.end({ phase: "done" });
  const prices = (await readPriceFile(lease.files, folder))?.prices ?? null;
  const { training, evaluation } = await readUsage(lease.files, folder);
  const used = usedTotal({ cumulative: training, evaluation }, prices);
  const unknown = { trend: null, fit: null, reason: null };
  watch({ kind: "ended", outcome: "done", folder, step, ...unknown, used });
  return { outcome: "done", folder };
}
