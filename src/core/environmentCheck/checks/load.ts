/** Checks that sessions are freed, that many are served at once, and that calls are fast enough for training. */

import { formatCount } from "../../../shared/format.ts";
import { percentile } from "../../util/stats.ts";
import { describeCall } from "../probe/answer.ts";
import { settledSessions } from "../probe/crowd.ts";
import { type CheckFinding, type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import { constantCall, playedSteps, randomPlays, stepEvidence } from "../probe/players.ts";
import { type PlayedSession, type Probe, taskName } from "../probe/probe.ts";

const RELEASED_SESSIONS = 16;
/** The environment may clean up after replying. */
const GRACE_MS = 2_000;

export const sessionRelease: EnvironmentCheck = {
  id: "session-release",
  rule: "A session that was closed is freed and refuses requests.",
  async run(probe) {
    const [task] = await probe.playedTasks(1);
    if (task === undefined) return notMade("there is no task");
    const { sessions } = await settledSessions(probe, [task], RELEASED_SESSIONS);
    const ids = sessions.map(({ id }) => id);
    await Promise.all(sessions.map((session) => session.close()));
    const held = async (): Promise<readonly string[]> => {
      const answers = await Promise.all(
        ids.map((id) => probe.remote.holdsSession(id, { signal: probe.signal })),
      );
      return ids.filter((_, index) => answers[index]);
    };
    let left = await held();
    if (left.length > 0) {
      await probe.options.clock.sleep(GRACE_MS, probe.signal);
      left = await held();
    }
    return found(
      `${ids.length} sessions closed`,
      left.length === 0
        ? null
        : {
            severity: "defect",
            message: `${left.length} of ${ids.length} sessions still exist after they were deleted.`,
            evidence: { numbers: `session ${left[0]} still answers pings` },
            advice: "Free the session in /delete and /delete_session: a run opens thousands.",
          },
    );
  },
};

const SESSIONS = 64;

export const load: EnvironmentCheck = {
  id: "load",
  rule: "64 concurrent sessions are served.",
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
      const rate = (sessions.length / callsMs) * 1000;
      const measured = `${sessions.length} sessions opened in ${(openMs / 1000).toFixed(2)} s; ${formatCount(rate)} calls per second`;
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
    message: `The environment takes ${opened} sessions at a time.`,
    evidence: { numbers: `${refused} of ${SESSIONS} were refused for lack of room` },
    advice: `Set max_concurrency of the environment to ${opened}, or let the server take more.`,
  };
}

function failed(opened: number, fault: string | null): CheckFinding | null {
  if (fault === null) return null;
  return {
    severity: "defect",
    message: `Only ${opened} of ${SESSIONS} concurrent sessions opened.`,
    evidence: { answer: fault },
    advice: "Answer 429 when there is no room, so that a run waits; look at the log of the server.",
  };
}

/** Calls that fail only when made concurrently. */
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
    message: `${failing.length} of ${sessions.length} concurrent calls failed; alone, the call is answered.`,
    evidence: stepEvidence({ task: first.task, step }),
    advice: "Share no state and no connection between sessions without a lock.",
  };
}

export const speed: EnvironmentCheck = {
  id: "speed",
  rule: "Sessions open and calls return in seconds.",
  async run(probe) {
    await randomPlays(probe);
    const { slowCallMs, slowOpenMs } = probe.limits;
    const calls = playedSteps(probe);
    const callTimes = calls.map(({ step }) => step.answer.ms);
    const openTimes = probe.plays.map(({ openMs }) => openMs);
    const slowest = calls.toSorted((a, b) => b.step.answer.ms - a.step.answer.ms)[0];
    const slowOpen = probe.plays.toSorted((a, b) => b.openMs - a.openMs)[0];
    const findings: (CheckFinding | null)[] = [
      slowest === undefined || slowest.step.answer.ms < slowCallMs
        ? null
        : {
            severity: isTimeout(slowest.step) ? "defect" : "warning",
            message: isTimeout(slowest.step)
              ? `A call did not return within ${seconds(probe.limits.callMs)}.`
              : `A call took ${seconds(slowest.step.answer.ms)}.`,
            evidence: {
              task: taskName(slowest.task),
              call: describeCall(slowest.step),
              numbers: summary(callTimes),
            },
            advice:
              "A step waits for its slowest rollout. Make the call faster, or set tool_timeout.",
          },
      slowOpen === undefined || slowOpen.openMs < slowOpenMs
        ? null
        : {
            severity: "warning",
            message: `A session took ${seconds(slowOpen.openMs)} to open.`,
            evidence: { task: taskName(slowOpen.task), numbers: summary(openTimes) },
            advice: "Prepare what all sessions share once, when the server starts.",
          },
    ];
    return found(`calls: ${summary(callTimes)}; sessions: ${summary(openTimes)}`, ...findings);
  },
};

function isTimeout({ answer }: { readonly answer: { readonly kind: string } }): boolean {
  return "failure" in answer && answer.failure === "timeout";
}

function summary(times: readonly number[]): string {
  if (times.length === 0) return "none";
  const median = percentile(times, 0.5) ?? 0;
  return `median ${seconds(median)}, longest ${seconds(Math.max(...times))}`;
}

function seconds(ms: number): string {
  return ms < 10
    ? `${ms.toFixed(1)} ms`
    : ms < 1000
      ? `${Math.round(ms)} ms`
      : `${(ms / 1000).toFixed(1)} s`;
}
