/** Reports where a run resumes from, if that is not where it ended. */

import { errorMessage } from "../../core/errors.ts";
import {
  newestUnexpired,
  type ResumePoint,
  type Rewind,
  readResumePoints,
} from "../../core/runFolder/resumePoints.ts";
import { parseTinkerPath } from "../../core/tinker/paths.ts";
import { report } from "../../core/training/run/report.ts";
import { formatDuration, formatQuantity } from "../../shared/format.ts";
import type { ReportContext } from "../tracking/reportContext.ts";

type RewindContext = Pick<ReportContext, "ports" | "storage" | "reporting">;

/** Reports that the run goes back to an older save. @throws AppError `disk` */
export async function reportRewind(
  context: RewindContext,
  { point, gone, completed }: Rewind,
): Promise<void> {
  const nowMs = context.ports.clock.now();
  const missing = gone.map((save) => `${nameOf(save)} ${describeLost(save, nowMs)}`).join(", ");
  const { step } = point.state;
  const count = Math.max(0, completed - step);
  const repeated = `${formatQuantity(count, "step")} ${count === 1 ? "is" : "are"} repeated`;
  const message = `The service no longer has the newest state of this run: ${missing}. The run continues from ${nameOf(point)}, after step ${step}: ${repeated}.`;
  await report(context.reporting, { step, level: "warn", kind: "state-gone", message });
}

function describeLost({ expiresAtMs }: ResumePoint, nowMs: number): string {
  return expiresAtMs !== null && expiresAtMs <= nowMs ? "has expired" : "was deleted";
}

/** After a failure, warns if the save that a resume would use expires. Never throws. */
export async function warnOfExpiry(context: RewindContext): Promise<void> {
  const { fileSystem, folder } = context.storage;
  try {
    const nowMs = context.ports.clock.now();
    const points = await readResumePoints(fileSystem, folder, nowMs);
    const newest = newestUnexpired(points, nowMs);
    if (newest === null || newest.expiresAtMs === null) return;
    const { step } = newest.state;
    const later = newestUnexpired(points, newest.expiresAtMs);
    const repeated = later === null ? null : step - later.state.step;
    // An older save of the same step is just as good.
    if (repeated === 0) return;
    const loss =
      repeated === null
        ? "after that, no state is left to resume from"
        : `after that, a resume repeats ${formatQuantity(repeated, "more step")}`;
    const left = formatDuration((newest.expiresAtMs - nowMs) / 1000);
    const message = `The last state, ${nameOf(newest)} after step ${step}, expires in ${left}. Resume the run before that: ${loss}.`;
    await report(context.reporting, { step, level: "warn", kind: "state-expires", message });
  } catch (error) {
    context.reporting.log.warn("The expiry of the last state could not be determined.", {
      reason: errorMessage(error),
    });
  }
}

function nameOf({ statePath }: ResumePoint): string {
  return parseTinkerPath(statePath).name;
}
