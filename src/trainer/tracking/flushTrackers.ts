/** Sends what the trackers of a run that is done have not got yet: nothing is started or connected that trains. */

import { readEvaluations } from "../../core/runFolder/evaluationLog.ts";
import type { RunLease } from "../../core/runFolder/runLease.ts";
import type { CleanupStack } from "../services/cleanupStack.ts";
import type { Variables } from "../services/variables.ts";
import type { ReportContext } from "./reportContext.ts";
import { startUploads } from "./upload.ts";
import type { UploadAddress } from "./uploadAddress.ts";
import { startWandb } from "./wandb.ts";
import type { WandbAddress } from "./wandbAddress.ts";

export interface FlushOptions {
  readonly context: ReportContext;
  readonly lease: RunLease;
  readonly cleanup: CleanupStack;
  readonly variables: Variables;
  /** Completed steps. */
  readonly step: number;
  /** Null when the rollouts are not uploaded. */
  readonly uploadTo: UploadAddress | null;
  /** Null when nothing is sent to Weights & Biases. */
  readonly wandbTo: WandbAddress | null;
  /** Its id on Weights & Biases; null = none. */
  readonly wandbRunId: string | null;
}

export async function flushTrackers(options: FlushOptions): Promise<void> {
  const { context, lease, cleanup, variables, step, uploadTo, wandbTo, wandbRunId } = options;
  const { watch, control, folder } = context;
  watch({ kind: "notice", message: "The run is done: nothing is left to train." });
  await lease.update({ phase: "finishing" });
  const of = { context, file: lease.file, firstStep: step, cleanup };
  const uploads = startUploads({ ...of, address: uploadTo });
  const wandb = await startWandb({ ...of, address: wandbTo, variables, knownRunId: wandbRunId });
  const evaluations = await readEvaluations(context.fileSystem, folder);
  const last = evaluations.findLast((entry) => entry.purpose === "end" && entry.step === step);
  if (last !== undefined) wandb?.addResults(last.results);
  await uploads?.drain("done", control.signal);
  await wandb?.finish(0, control.signal);
  await lease.end({ phase: "done" });
  watch({ kind: "ended", outcome: "done", folder, step, rewards: [] });
}
