/** Many sessions at once are served. */

import { settledSessions } from "../probe/crowd.ts";
import { type CheckFinding, type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import { constantCall, stepEvidence } from "../probe/players.ts";
import type { PlayedSession, Probe } from "../probe/probe.ts";

const SESSIONS = 64;

export const load: EnvironmentCheck = {
  id: "load",
  rule: "64 sessions at once are served.",
  async run(probe) {
    const tasks = await probe.playedTasks(SESSIONS);
    const { clock } = probe.options;
    const sinceMs = clock.monotonic();
    const { sessions, refused, fault } = await settledSessions(probe, tasks, SESSIONS);
    const openMs = clock.monotonic() - sinceMs;
    try {
      if (sessions.length === 0) return notMade(fault ?? "no session opened");
      const callsSinceMs = clock.monotonic();
      await Promise.all(
        sessions.map(async (session) => {
          const [tool] = session.tools;
          if (tool !== undefined) await session.call(tool.name, constantCall(tool, "x").input);
        }),
      );
      const callsMs = Math.max(1, clock.monotonic() - callsSinceMs);
      const rate = Math.round((sessions.length / callsMs) * 1000);
      const measured = `${sessions.length} sessions opened in ${seconds(openMs)}; ${rate} calls per second`;
      return found(
        measured,
        capacity(sessions.length, refused),
        failed(sessions.length, fault),
        await failedCalls(probe, sessions),
      );
    } finally {
      await Promise.all(sessions.map((session) => session.close()));
    }
  },
};

function capacity(opened: number, refused: number): CheckFinding | null {
  if (refused === 0) return null;
  return {
    severity: "note",
    message: `The environment takes ${opened} sessions at once.`,
    evidence: { numbers: `${refused} of ${SESSIONS} were refused for lack of room` },
    advice: `Set max_concurrency of the environment to ${opened}, or let the server take more.`,
  };
}

function failed(opened: number, fault: string | null): CheckFinding | null {
  if (fault === null) return null;
  return {
    severity: "defect",
    message: `Of ${SESSIONS} sessions at once only ${opened} opened.`,
    evidence: { answer: fault },
    advice: "Answer 429 when there is no room, so that a run waits; look at the log of the server.",
  };
}

/** Calls that fail, where the same one alone does not. */
async function failedCalls(
  probe: Probe,
  sessions: readonly PlayedSession[],
): Promise<CheckFinding | null> {
  const failing = sessions.filter(({ steps }) => steps[0]?.answer.kind === "failed");
  const [first] = failing;
  const step = first?.steps[0];
  if (first === undefined || step === undefined) return null;
  const alone = await probe.play(first.task, [step]);
  if (alone.steps[0]?.answer.kind === "failed") return null;
  return {
    severity: "defect",
    message: `${failing.length} of ${sessions.length} calls at once failed; alone the call is answered.`,
    evidence: stepEvidence({ task: first.task, step }),
    advice: "Share no state and no connection between sessions without a lock.",
  };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
