/** Calls that do not fit a schema are answered in words, and the session stays usable. */

import type { JsonObject } from "../../json.ts";
import { describeAnswer, isBroken, shorten } from "../probe/answer.ts";
import { type CheckFinding, type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import { constantCall } from "../probe/players.ts";
import { type PlayedSession, type PlayedTask, type Probe, taskName } from "../probe/probe.ts";
import {
  argumentSchemas,
  type PlayableTool,
  requiredArguments,
  textArguments,
} from "../probe/tools.ts";

const MAX_TOOLS = 5;
const HUGE_TEXT = "x".repeat(100_000);
/** Only an escape in JSON can spell it, and Python cannot write it as UTF-8. */
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
  rule: "Missing, wrong and odd arguments are answered in words, and the session stays usable.",
  async run(probe) {
    const [task] = await probe.playedTasks(1);
    if (task === undefined) return notMade("there is no task");
    const findings: CheckFinding[] = [];
    let count = 0;
    for (const tool of (await probe.tools()).slice(0, MAX_TOOLS)) {
      if (probe.isSlow(tool.name)) continue;
      const odd = oddInputs(tool);
      count += odd.length;
      const finding = await tryTool(probe, task, tool, odd);
      if (finding !== null) findings.push(finding);
    }
    return found(`${count} odd calls`, ...findings);
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

/** All faults of a tool in one finding. */
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
      "Check arguments, and answer a mistake in words: models make it, and a crash costs the rollout.",
  };
}
