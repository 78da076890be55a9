/** Claims a run's folder. */

import type { RunLease } from "../../core/runFolder/runLease.ts";
import { writeConfigFiles } from "../config/configFiles.ts";
import type { RunPlan, RunStart, TrainerOptions } from "./runPlan.ts";

/** Claims the folder and marks it as in use by this trainer. */
export async function claimRun(
  { cleanup, control, controlChannel, log, onClaim, redactor }: TrainerOptions,
  { claim, loaded }: Pick<RunPlan, "claim" | "loaded">,
  start: RunStart,
): Promise<RunLease> {
  const lease = await claim(start);
  // Called before anyone can reach the trainer, because an immediate stop is recorded through the lease.
  onClaim?.(lease);
  await lease.update({ control: controlChannel?.address ?? null });
  await writeConfigFiles(lease.files, lease.folder, loaded, redactor);
  controlChannel?.onPrepared({ loaded, redactor }, lease);
  const heartbeat = new AbortController();
  const beating = lease.keepAlive(log, heartbeat.signal, (error) => control.fail(error));
  cleanup.add(async () => {
    heartbeat.abort();
    await beating;
  });
  return lease;
}
