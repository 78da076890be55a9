/**
 * What happens when the service has lost the session of a run: because it was restarted, ended a session that had been silent, as that
 * of a computer that slept, or limits how long one lives; or when an embedded service has ended. The run continues by itself as a resume
 * would, in the same process.
 */

import { AppError, isAppError } from "../../core/errors.ts";
import type { RunLease } from "../../core/runFolder/runLease.ts";
import { completedSteps } from "../../core/runs/runList.ts";
import { isSessionLost, withoutNextStep } from "../../core/tinker/transport/errors.ts";
import { report } from "../../core/training/run/report.ts";
import { type Doubling, doubledMs } from "../../core/util/backoff.ts";
import { systemClock } from "../../node/clock.ts";
import { formatDuration, formatQuantity } from "../../shared/format.ts";
import type { TrainerOptions } from "../plan/runPlan.ts";
import { withoutResume } from "../services/childProcess.ts";
import type { ReportContext } from "../tracking/reportContext.ts";

/** An attempt that ended because its session was lost, and that another one follows. */
export interface LostAttempt {
  readonly outcome: "lost";
  /** Still held, so that no one else takes the run over. */
  readonly lease: RunLease;
  /** Steps that the run had completed. */
  readonly completed: number;
}

/** How many recoveries a run may make and has made. */
export interface RecoveryCount {
  readonly made: number;
  readonly limit: number;
}

/** Before the service is asked again when it could not be reached to open the new session. */
const RECONNECT: Doubling = { firstMs: 10_000, maxMs: 60_000 };

/** What ended an attempt that another one may follow. */
export interface Loss {
  readonly cause: AppError;
  /** What was lost, in a sentence. */
  readonly message: string;
  /** What the next attempt does first. */
  readonly remedy: string;
}

/** Null for an error after which another attempt would not get further. */
export function lossOf(error: unknown): Loss | null {
  if (isAppError(error, "local-service")) {
    return { cause: error, message: withoutResume(error), remedy: "restarts it" };
  }
  if (!isSessionLost(error)) return null;
  const message = `The service has lost the session of this run: ${withoutNextStep(error)}`;
  return { cause: error, message, remedy: "opens a new one" };
}

/** The loss as the error that ends the run, because no other attempt may follow. */
export function finalLoss({ cause, message }: Loss, { made, limit }: RecoveryCount): AppError {
  const before =
    made === 0
      ? ""
      : `, and this run has already made ${formatQuantity(made, "recovery", "recoveries")}`;
  const why = `max_recoveries is ${limit}${before}, so the run ends.`;
  return new AppError(cause.code, `${message} ${why} Resume it: what was saved is kept.`, {
    data: cause.data,
    cause,
  });
}

/** Reports the loss. The folder stays claimed, in a phase that no watcher takes for an end. @throws AppError `disk` */
export async function leaveForRecovery(
  context: Pick<ReportContext, "reporting">,
  lease: RunLease,
  loss: Loss,
  { made, limit }: RecoveryCount,
): Promise<LostAttempt> {
  const completed = await completedSteps(lease.files, lease.folder);
  await lease.update({ phase: "preparing" });
  const message = `${loss.message} The run ${loss.remedy} and continues from its last state (recovery ${made + 1} of at most ${limit}).`;
  const data = { code: loss.cause.code, recovery: made + 1, max_recoveries: limit };
  const event = { step: completed, level: "warn", kind: "session-lost", message, data } as const;
  await report(context.reporting, event);
  return { outcome: "lost", lease, completed };
}

/** The run has its new session; `step` is the next one. @throws AppError `disk` */
export async function reportRecovery(
  context: Pick<ReportContext, "reporting">,
  step: number,
  completed: number,
): Promise<void> {
  const count = Math.max(0, completed - step);
  const repeated = `${formatQuantity(count, "step")} ${count === 1 ? "is" : "are"} repeated`;
  const message = `The run has a new session and continues after step ${step}: ${repeated}.`;
  const event = { step, level: "info", kind: "session-recovered", message } as const;
  await report(context.reporting, event);
}

/**
 * Waits before the services are connected again, when that has just failed because one could not be reached and the folder is still
 * held. @throws `error` when it is another one; the reason of a stop
 */
export async function waitToReconnect(
  error: unknown,
  lost: LostAttempt,
  { made, limit }: RecoveryCount,
  { control, redactor, watch }: Pick<TrainerOptions, "control" | "redactor" | "watch">,
): Promise<void> {
  const isPassing = isAppError(error, "tinker-unavailable", "environment-unavailable");
  if (!isPassing || lost.lease.isOver || made >= limit) throw error;
  const waitMs = doubledMs(RECONNECT, made);
  const message = `No new session yet: ${withoutNextStep(error)} The run tries again in ${formatDuration(waitMs / 1000)} (recovery ${made + 1} of at most ${limit}).`;
  watch({ kind: "warning", message: redactor.redact(message) });
  await systemClock.sleep(waitMs, control.signal);
}
