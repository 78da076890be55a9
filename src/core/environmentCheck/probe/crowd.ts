/** Opens many sessions at once. */

import { errorMessage, isAppError } from "../../errors.ts";
import type { PlayedSession, PlayedTask, Probe } from "./probe.ts";

export interface Crowd {
  /** The opened sessions; the caller closes them. */
  readonly sessions: readonly PlayedSession[];
  /** Number of sessions refused for capacity. */
  readonly refused: number;
  /** Error of the first other session that did not open; null if there is none. */
  readonly fault: string | null;
}

/** Opens `count` sessions concurrently, cycling through the tasks. @throws anything that is not an AppError, and when time is up */
export async function settledSessions(
  probe: Probe,
  tasks: readonly PlayedTask[],
  count: number,
): Promise<Crowd> {
  const wanted = Array.from({ length: count }, (_, i) => tasks[i % Math.max(1, tasks.length)]);
  const opening = await Promise.allSettled(
    wanted.filter((task) => task !== undefined).map((task) => probe.open(task)),
  );
  const sessions = opening.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const reasons = opening.flatMap((each): unknown[] =>
    each.status === "rejected" ? [each.reason] : [],
  );
  const unexpected = reasons.find((reason) => !isAppError(reason));
  if (unexpected !== undefined || probe.signal.aborted) {
    await Promise.all(sessions.map((session) => session.close()));
    throw unexpected ?? probe.signal.reason;
  }
  const others = reasons.filter((reason) => !isAppError(reason, "environment-capacity"));
  return {
    sessions,
    refused: reasons.length - others.length,
    fault: others.length === 0 ? null : errorMessage(others[0]),
  };
}
