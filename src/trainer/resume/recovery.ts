/**
 * Recovery when a service has lost the run's session (a restart, an idle timeout such as while the computer slept, or a maximum
 * lifetime) or an embedded service has died. The run continues automatically like a resume, in the same process.
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

/** An attempt that lost its session and is followed by another. */
export interface LostAttempt {
  readonly outcome: "lost";
  /** Still held, so that nobody else takes over the run. */
  readonly lease: RunLease;
  /** Number of steps the run had completed. */
  readonly completed: number;
}

/** Recoveries made so far and their limit. */
export interface RecoveryCount {
  readonly made: number;
  readonly limit: number;
}

/** Delays before retrying when the service is unreachable for a new session. */
const RECONNECT: Doubling = { firstMs: 10_000, maxMs: 60_000 };

/** What ended an attempt that may be followed by another. */
export interface Loss {
  readonly cause: AppError;
  /** Says what was lost. */
  readonly message: string;
  /** What the next attempt does first. */
  readonly remedy: string;
}

/** Null if another attempt would not help. */
export function lossOf(error: unknown): Loss | null {
  if (isAppError(error, "local-service")) {
    return { cause: error, message: withoutResume(error), remedy: "restarts it" };
  }
  if (!isSessionLost(error)) return null;
  const message = `The service has lost the session of this run: ${withoutNextStep(error)}`;
  return { cause: error, message, remedy: "opens a new one" };
}

/** The error that ends the run if no further attempt is allowed. */
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

/** Reports the loss. The folder stays claimed, in a phase that watchers do not take for an end. @throws AppError `disk` */
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

/** Reports that the run has a new session; `step` is the next step. @throws AppError `disk` */
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
 * Waits before reconnecting if a service could not be reached and the folder is still held.
 * @throws `error` if it is another error; the reason of a stop
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
