/** Takes the folder of a run over, and puts together what its reports need. */

import { createEventLog } from "../core/runFolder/events.ts";
import type { RunLease } from "../core/runFolder/runLease.ts";
import type { Redactor } from "../core/secrets/redaction/redactor.ts";
import { systemClock } from "../node/clock.ts";
import { sha256 } from "../node/hash.ts";
import { systemRandom } from "../node/random.ts";
import { writeConfigFiles } from "./config/configFiles.ts";
import type { RunPlan, RunStart, TrainerScope } from "./runPlan.ts";
import type { ReportContext } from "./tracking/reportContext.ts";

/** Claims the folder and writes into it what shows others that a trainer works on the run. */
export async function claimRun(
  scope: TrainerScope,
  plan: RunPlan,
  redactor: Redactor,
  start: RunStart,
): Promise<RunLease> {
  const lease = await plan.claim(start);
  await lease.update({ control: scope.controlChannel?.address ?? null });
  await writeConfigFiles(lease.files, lease.folder, plan.loaded, redactor);
  scope.onClaim?.(lease);
  scope.controlChannel?.onPrepared({ loaded: plan.loaded, redactor }, lease);
  const heartbeat = new AbortController();
  const beating = lease.keepAlive(scope.log, heartbeat.signal);
  scope.cleanup.add(async () => {
    heartbeat.abort();
    await beating;
  });
  return lease;
}

export function reportContext(
  { log, control, watch }: TrainerScope,
  { loaded }: RunPlan,
  { folder, files: fileSystem, file: { attempt } }: RunLease,
  redactor: Redactor,
): Omit<ReportContext, "totalSteps"> {
  const parts = { fileSystem, clock: systemClock, redactor, folder, attempt };
  return {
    ...parts,
    ...{ log, control, watch, sha256, random: systemRandom, config: loaded.config },
    events: createEventLog(parts),
  };
}
