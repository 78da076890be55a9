/** Checks that sessions do not see each other. */

import { answerText, describeCall, isFinal, shorten } from "../probe/answer.ts";
import { settledSessions } from "../probe/crowd.ts";
import { type CheckFinding, type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import {
  callWithText,
  constantCall,
  type PlannedCall,
  randomPlays,
  triedTools,
} from "../probe/players.ts";
import { type PlayedSession, type Probe, type Step, taskName } from "../probe/probe.ts";
import type { PlayableTool } from "../probe/tools.ts";

const SESSIONS = 32;
const MIN_SESSIONS = 2;
const MAX_TOOLS = 6;

export const isolation: EnvironmentCheck = {
  id: "isolation",
  rule: "What happens in a session is not seen in others that are open at the same time.",
  async run(probe) {
    const tasks = await probe.playedTasks(8);
    await randomPlays(probe);
    for (const tool of await triedTools(probe)) {
      const [task] = tasks;
      if (task !== undefined) await probe.play(task, [constantCall(tool, "x")]);
    }
    const endings = endingTools(probe);
    const { sessions } = await settledSessions(probe, tasks, SESSIONS);
    try {
      if (sessions.length < MIN_SESSIONS)
        return notMade("fewer than two sessions were open at the same time");
      return found(
        `${sessions.length} concurrent sessions`,
        (await canaries(probe, sessions, endings)) ?? (await interference(probe)),
      );
    } finally {
      await Promise.all(sessions.map((session) => session.close()));
    }
  },
};

/** Tools that have ended or broken an episode so far; they are called last. */
function endingTools(probe: Probe): ReadonlySet<string> {
  const steps = probe.plays.flatMap(({ steps: each }) => each);
  const ending = steps.filter(({ answer }) => answer.kind === "failed" || isFinal(answer));
  return new Set(ending.map(({ tool }) => tool));
}

/** Each session writes its own mark wherever text is accepted; then all are searched for marks of other sessions. */
async function canaries(
  probe: Probe,
  sessions: readonly PlayedSession[],
  endings: ReadonlySet<string>,
): Promise<CheckFinding | null> {
  const uniform = probe.uniform("canaries");
  const marks = sessions.map((_, i) => `mark${i}x${Math.floor(uniform() * 1e9).toString(36)}q`);
  const tools = sessions[0]?.tools ?? [];
  const order = [
    ...tools.filter(({ name }) => !endings.has(name)),
    ...tools.filter(({ name }) => endings.has(name)),
  ].slice(0, MAX_TOOLS);
  const open = order.filter(({ name }) => !endings.has(name));
  for (const [tool, isMarked] of [
    ...open.map((each) => [each, true] as const),
    ...open.map((each) => [each, false] as const),
    ...order.filter(({ name }) => endings.has(name)).map((each) => [each, true] as const),
  ]) {
    await Promise.all(
      sessions.map(async (session, index) => {
        const call = callFor(tool, isMarked ? (marks[index] ?? "") : null);
        if (!session.isOver) await session.call(call.tool, call.input);
      }),
    );
  }
  const later = await laterSession(probe, order);
  for (const [index, session] of [...sessions, ...later].entries()) {
    for (const step of session.steps) {
      const foreign = marks.find(
        (mark, other) => other !== index && answerText(step.answer).includes(mark),
      );
      if (foreign !== undefined) return leak(session, step, foreign, marks.indexOf(foreign));
    }
  }
  return null;
}

/** A session opened after the others have written. */
async function laterSession(
  probe: Probe,
  tools: readonly PlayableTool[],
): Promise<readonly PlayedSession[]> {
  const [task] = await probe.playedTasks(1);
  if (task === undefined) return [];
  return probe.session(task, async (session) => {
    for (const tool of tools) {
      const { input } = constantCall(tool, "x");
      if (!session.isOver) await session.call(tool.name, input);
    }
    return [session];
  });
}

function callFor(tool: PlayableTool, mark: string | null): PlannedCall {
  return (mark === null ? null : callWithText(tool, mark)) ?? constantCall(tool, "x");
}

function leak(session: PlayedSession, step: Step, mark: string, other: number): CheckFinding {
  return {
    severity: "defect",
    message: "A session reads what another one wrote.",
    evidence: {
      task: taskName(session.task),
      call: describeCall(step),
      answer: shorten(aroundMark(answerText(step.answer), mark)),
      numbers: `${mark} was written in session ${other + 1} only`,
    },
    advice:
      "Keep state in the environment object of the session, not in the class, the module or a shared file.",
  };
}

function aroundMark(text: string, mark: string): string {
  return text.slice(Math.max(0, text.indexOf(mark) - 60), text.indexOf(mark) + mark.length + 60);
}

const CROWD = 8;

/** The same calls must get the same answers alone and interleaved with other sessions. */
async function interference(probe: Probe): Promise<CheckFinding | null> {
  const plays = await randomPlays(probe);
  const longest = plays
    .filter(({ steps }) => !steps.some(({ answer }) => answer.kind === "failed"))
    .toSorted((a, b) => b.steps.length - a.steps.length)[0];
  if (longest === undefined || longest.steps.length === 0) return null;
  const { task, steps: calls } = longest;
  // If the task or the grader is random, answers also differ alone.
  const alone = transcript(longest);
  for (let i = 0; i < CROWD; i += 1) {
    if (transcript(await probe.play(task, calls)) !== alone) return null;
  }
  const { sessions } = await settledSessions(probe, [task], CROWD);
  try {
    for (const { tool, input } of calls) {
      await Promise.all(
        sessions.map(async (session) => {
          if (!session.isOver) await session.call(tool, input);
        }),
      );
    }
    const other = sessions.find((session) => transcript(session) !== alone);
    if (other === undefined) return null;
    return {
      severity: "defect",
      message: "The same calls get other answers when several sessions make them at the same time.",
      evidence: {
        task: taskName(task),
        call: other.steps.map(describeCall).join("; "),
        answer: `alone: ${shorten(alone)}`,
        numbers: `with ${sessions.length - 1} others: ${shorten(transcript(other))}`,
      },
      advice:
        "Keep state in the environment object of the session, not in the class, the module or a shared file.",
    };
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
  }
}

function transcript({ steps }: { readonly steps: readonly Step[] }): string {
  return steps
    .map(({ answer }) => {
      const reward = answer.kind === "result" ? answer.reward : null;
      return `${answer.text} (${reward ?? "no reward"})`;
    })
    .join(" | ");
}
