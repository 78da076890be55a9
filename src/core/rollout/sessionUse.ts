/** One use of a fresh session with an environment, within a time limit; the session is closed whatever happens. */

import type { EnvironmentSession } from "../openreward/types.ts";
import type { Clock } from "../ports.ts";
import { type Deadline, deadline, timeoutError } from "../util/abort.ts";
import type { WithTimerPaused } from "../util/withTimerPaused.ts";
import type { EnvironmentGate, OpenedSession } from "./environmentGate.ts";
import type { RolloutSettings } from "./settings.ts";

export interface SessionUseOptions {
  readonly gate: EnvironmentGate;
  readonly clock: Clock;
  readonly settings: RolloutSettings;
  readonly task: { readonly split: string; readonly index: number };
  /** What is done with it, for messages. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Runs the waits for an environment that is full or fails. */
  readonly whileWaiting?: WithTimerPaused | undefined;
}

export type SessionOutcome<Result> = {
  /** 0 when no session was opened. */
  readonly openedInMs: number;
  /** For a place among the sessions of the environment. */
  readonly waitedMs: number;
} & (
  | { readonly kind: "done"; readonly result: Result; readonly error: null }
  /** Took longer than `rollout_timeout`. */
  | { readonly kind: "expired" | "failed"; readonly error: unknown }
);

/** Hands `use` the session and its deadline, whose signal it must obey. Throws nothing but the reason of the signal. */
export async function useSession<Result>(
  options: SessionUseOptions,
  use: (session: EnvironmentSession, limit: Deadline) => Promise<Result>,
): Promise<SessionOutcome<Result>> {
  const { clock, gate, settings, signal, task } = options;
  let opened: OpenedSession;
  const askedMs = clock.monotonic();
  try {
    const choice = { split: task.split, index: task.index, secrets: settings.secrets };
    opened = await gate.open(choice, signal, {
      answerLimitMs: settings.sessionTimeoutMs,
      whileWaiting: options.whileWaiting,
    });
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "failed", error, openedInMs: 0, waitedMs: clock.monotonic() - askedMs };
  }
  const { session, tookMs: openedInMs } = opened;
  const times = { openedInMs, waitedMs: clock.monotonic() - askedMs - openedInMs };
  const limitMs = settings.rolloutTimeoutMs;
  const onLimit = (): Error => timeoutError(options.name, limitMs);
  const limit = deadline({ clock, limitMs, onLimit, parents: [signal, session.ended] });
  const stopFollowing = pauseWhileFailing(gate, limit);
  try {
    return { kind: "done", result: await use(session, limit), error: null, ...times };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.isExpired()) return { kind: "expired", error: limit.signal.reason, ...times };
    const fault = session.ended.aborted ? session.ended.reason : error;
    return { kind: "failed", error: fault, ...times };
  } finally {
    stopFollowing();
    limit.clear();
    await opened.close();
  }
}

/** Stops the deadline's clock whenever the environment begins to fail, until it works again. Returns a function that ends this. */
function pauseWhileFailing(gate: EnvironmentGate, limit: Deadline): () => void {
  // Made when it is needed, which is hardly ever: a signal and its abort cost as much as a request.
  let over: AbortController | null = null;
  const stopListening = gate.onEvent(({ kind }) => {
    if (kind !== "unavailable") return;
    over ??= new AbortController();
    const { signal } = over;
    limit.withTimerPaused(() => gate.whenReachable(signal)).catch(() => undefined);
  });
  return () => {
    stopListening();
    over?.abort();
  };
}
