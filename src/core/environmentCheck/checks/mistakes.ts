/** Checks that a model's mistakes get a message, and never crash, earn a reward or break the session. */

import type { JsonObject } from "../../json.ts";
import { describeAnswer, isBroken, shorten } from "../probe/answer.ts";
import { type CheckFinding, type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import {
  constantCall,
  hasEnded,
  type PlannedCall,
  randomPlays,
  rewardOf,
  rightCall,
  stepEvidence,
  triedTools,
} from "../probe/players.ts";
import {
  type Play,
  type PlayedSession,
  type PlayedTask,
  type Probe,
  taskName,
} from "../probe/probe.ts";
import {
  argumentSchemas,
  type PlayableTool,
  requiredArguments,
  textArguments,
} from "../probe/tools.ts";

const MAX_TOOLS = 5;
const HUGE_TEXT = "x".repeat(100_000);
/** JSON can only express it as an escape, and Python cannot encode it as UTF-8. */
const SURROGATE = "a lone surrogate";
const ODD_TEXTS: Readonly<Record<string, string>> = {
  "an empty text": "",
  "a text of 100,000 characters": HUGE_TEXT,
  [SURROGATE]: "a\ud800b",
  "control characters": "\u0000\u001b[31m\r\n",
  "a quotation mark": "\"'`\\{}%s",
};

interface Odd {
  readonly what: string;
  readonly input: JsonObject;
}

export const malformedCalls: EnvironmentCheck = {
  id: "malformed-calls",
  rule: "Missing, wrong and odd arguments are answered with a message, and the session stays usable.",
  async run(probe) {
    const [task] = await probe.playedTasks(1);
    if (task === undefined) return notMade("there is no task");
    const findings: CheckFinding[] = [];
    const broken: string[] = [];
    let count = 0;
    for (const tool of (await probe.tools()).slice(0, MAX_TOOLS)) {
      if (probe.isSlow(tool.name)) continue;
      const [plain] = (await probe.play(task, [constantCall(tool, "x")])).steps;
      // If plain arguments fail too, the cause is another, which `random-calls` reports.
      if (plain !== undefined && isBroken(plain.answer)) {
        broken.push(tool.name);
        continue;
      }
      const odd = oddInputs(tool);
      count += odd.length;
      const finding = await tryTool(probe, task, tool, odd);
      if (finding !== null) findings.push(finding);
    }
    const without = `, none of ${broken.join(", ")}, where plain arguments fail, too`;
    return found(`${count} odd calls${broken.length === 0 ? "" : without}`, ...findings);
  },
};

function oddInputs(tool: PlayableTool): readonly Odd[] {
  const { input } = constantCall(tool, "x");
  const [required] = requiredArguments(tool);
  const wrong = Object.entries(argumentSchemas(tool)).map(([name, schema]): Odd => {
    const isText = schema["type"] === "string";
    return { what: `a wrong type of ${name}`, input: { ...input, [name]: isText ? 7 : "seven" } };
  });
  const missing =
    required === undefined
      ? []
      : [
          { what: "no arguments", input: {} },
          { what: `no ${required}`, input: without(input, required) },
          { what: `null as ${required}`, input: { ...input, [required]: null } },
          { what: `a list as ${required}`, input: { ...input, [required]: [[]] } },
        ];
  const [text] = textArguments(tool);
  const odd =
    text === undefined
      ? []
      : Object.entries(ODD_TEXTS).map(([what, value]) => ({
          what,
          input: { ...input, [text]: value },
        }));
  const extra = { what: "an unknown argument", input: { ...input, no_such_argument: 1 } };
  return [...missing, ...wrong, ...odd, extra];
}

function without(input: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== name));
}

/** Reports all faults of a tool in one finding. */
async function tryTool(
  probe: Probe,
  task: PlayedTask,
  tool: PlayableTool,
  odd: readonly Odd[],
): Promise<CheckFinding | null> {
  const faults: { readonly what: string; readonly call: string; readonly answer: string }[] = [];
  let session: PlayedSession | null = null;
  try {
    for (const { what, input } of odd) {
      session ??= await probe.open(task);
      const answer = await session.call(tool.name, input);
      if (isBroken(answer)) {
        const call = shorten(`${tool.name} ${JSON.stringify(input)}`);
        faults.push({ what, call, answer: describeAnswer(answer) });
      }
      if (!session.isOver) continue;
      await session.close();
      session = null;
    }
  } finally {
    await session?.close();
  }
  const [first] = faults;
  if (first === undefined) return null;
  const isRare = faults.every(({ what }) => what === SURROGATE);
  return {
    severity: isRare ? "warning" : "defect",
    message: `The tool ${tool.name} fails on ${faults.map(({ what }) => what).join(", ")}.`,
    evidence: { task: taskName(task), call: first.call, answer: first.answer },
    advice:
      "Check arguments, and answer mistakes with a message: models make them, and a crash ends the rollout.",
  };
}

export const unknownTool: EnvironmentCheck = {
  id: "unknown-tool",
  rule: "A call of an unknown tool is answered with a message, and the session stays usable.",
  async run(probe) {
    const [task] = await probe.playedTasks(1);
    if (task === undefined) return notMade("there is no task");
    const advice = "Answer that there is no such tool: models make up names.";
    const [tool] = await probe.tools();
    const known = tool === undefined ? [] : [constantCall(tool, "x")];
    const alone = await probe.play(task, known);
    return probe.session(task, async (session) => {
      const call = { tool: "no_such_tool", input: { text: "x" } };
      const answer = await session.call(call.tool, call.input);
      const evidence = stepEvidence({ task, step: { ...call, answer } });
      if (answer.kind === "failed") {
        const message = "A call of an unknown tool fails instead of being answered.";
        return found(undefined, { severity: "defect", message, evidence, advice });
      }
      if (answer.kind === "result" && ((answer.reward ?? 0) > 0 || answer.finished)) {
        const message = "A call of an unknown tool is scored or ends the episode.";
        return found(undefined, { severity: "warning", message, evidence, advice });
      }
      // A call that fails in any session says nothing about this one.
      const [step] = alone.steps;
      if (step === undefined || isBroken(step.answer)) return found("answered with a message");
      const next = await session.call(step.tool, step.input);
      if (!isBroken(next)) return found("answered with a message");
      return found(undefined, {
        severity: "defect",
        message: "After a call of an unknown tool the session is no longer usable.",
        evidence: { ...evidence, numbers: `next call: ${describeAnswer(next)}` },
        advice,
      });
    });
  },
};

export const afterEnd: EnvironmentCheck = {
  id: "after-end",
  rule: "Calls after the end of an episode are refused.",
  async run(probe) {
    const ending = await endingCalls(probe);
    if (ending === null) return notMade("no play ended an episode");
    const { task, calls } = ending;
    return probe.session(task, async (session) => {
      for (const { tool, input } of calls) {
        if (!session.isOver) await session.call(tool, input);
      }
      const last = session.steps.at(-1);
      if (last === undefined || !hasEnded(session)) return notMade("the episode did not end again");
      const answer = await session.call(last.tool, last.input);
      if (answer.kind !== "result") return found("refused");
      const isPaid = rewardOf({ ...last, answer }) > 0;
      return found(undefined, {
        severity: isPaid ? "defect" : "warning",
        message: isPaid
          ? "A call after the end of the episode is run and rewarded."
          : "A call after the end of the episode is run.",
        evidence: {
          ...stepEvidence({ task, step: { ...last, answer } }),
          numbers: `the call that ended the episode: ${describeAnswer(last.answer)}`,
        },
        advice:
          "Refuse calls once a result was final. Servers of openreward 0.1.160 and newer do so; with ors-sdk the environment must.",
      });
    });
  },
};

/** Calls that end an episode, if possible with a reward. */
async function endingCalls(
  probe: Probe,
): Promise<{ readonly task: PlayedTask; readonly calls: readonly PlannedCall[] } | null> {
  const [task] = await probe.playedTasks(1);
  const right = task && (await rightCall(probe, task));
  if (task !== undefined && right != null) await probe.play(task, [right]);
  await randomPlays(probe);
  for (const tool of await triedTools(probe)) {
    if (task !== undefined) await probe.play(task, [constantCall(tool, "x")]);
  }
  const ended = probe.plays.filter(hasEnded);
  const best = ended.toSorted((a, b) => earned(b) - earned(a))[0];
  return best === undefined ? null : { task: best.task, calls: best.steps };
}

/** Reward of the call that ended the episode, which is the one to be repeated. */
function earned({ steps }: Play): number {
  const last = steps.at(-1);
  return last === undefined ? 0 : rewardOf(last);
}
