/** Checks that neither the prompt nor the tools reveal the right answer. */

import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { shorten } from "../probe/answer.ts";
import {
  type CheckFinding,
  type CheckOutcome,
  type EnvironmentCheck,
  found,
} from "../probe/finding.ts";
import { payoffFinding } from "../probe/payoffFinding.ts";
import {
  constantCall,
  contentlessPayoff,
  findOracle,
  type Payoff,
  type PlannedCall,
  payoffEverywhere,
  stepEvidence,
  triedTools,
} from "../probe/players.ts";
import { type PlayedSession, type Probe, taskName } from "../probe/probe.ts";
import { argumentSchemas, type PlayableTool, requiredArguments } from "../probe/tools.ts";

/** Words that often precede an answer that was not meant to be read. */
const MARKER =
  /\b(?:answers?|solutions?|ground[_ ]?truth|truth|label|target|expected|secret|correct|gold|hint|key)\b["'*_`]*\s*(?:\([^)]{0,30}\))?\s*(?:\bis\b|\bare\b|:|=|->|→)\s*["'`*([]*([^\n]{1,80})/gi;
const SLOTS = 3;
/** Where a marked answer may end: a word or number up to a bracket, a phrase, or the rest of the line. */
const ENDINGS = [
  /^[^\s"'`*)\],;]+?(?=[.!?]?(?:[\s"'`*)\],;]|$))/,
  /^[^"'`*)\]<]+/,
  /^.*?(?=[.]?\s*$)/,
];

export const answerInPrompt: EnvironmentCheck = {
  id: "answer-in-prompt",
  rule: "The prompt does not give the answer away.",
  run: (probe) => searchLeak(probe, "the prompt", ({ prompt }) => prompt),
};

export const answerInTools: EnvironmentCheck = {
  id: "answer-in-tools",
  rule: "Descriptions and schemas of tools do not give the answer away.",
  run: async (probe) =>
    (await defaultsPay(probe)) ??
    (await searchLeak(probe, "the tools", ({ tools }) => tools.map(toolText).join("\n"))),
};

export const answerInFeedback: EnvironmentCheck = {
  id: "answer-in-feedback",
  rule: "The reply to a wrong answer does not give the right one away while there is another try.",
  async run(probe) {
    for (const tool of await triedTools(probe)) {
      const payoff = await markedPayoff(probe, tool, async (session) => {
        const answer = await session.call(tool.name, constantCall(tool, "x").input);
        return session.isOver ? "" : answer.text;
      });
      if (payoff === null || (await contentlessPayoff(probe, tool)) !== null) continue;
      const finding = await payoffFinding(probe, payoff, {
        message: `What ${tool.name} says after a wrong answer earns a reward as the next answer on every task tried.`,
        advice: "Say that the answer was wrong, and not what would have been right.",
      });
      return found(undefined, finding);
    }
    return found("no marked answer earns a reward");
  },
};

async function searchLeak(
  probe: Probe,
  place: string,
  textOf: (session: PlayedSession) => string,
): Promise<CheckOutcome> {
  for (const tool of await triedTools(probe)) {
    const payoff = await markedPayoff(probe, tool, textOf);
    // If any call pays, a copied answer proves nothing.
    if (payoff !== null && (await contentlessPayoff(probe, tool)) === null) {
      return found(undefined, leakFinding(place, payoff));
    }
  }
  return found("no marked answer earns a reward", await occurrence(probe, place, textOf));
}

/** Reward for passing the text after a marker as a tool's only argument. */
async function markedPayoff(
  probe: Probe,
  tool: PlayableTool,
  textOf: (session: PlayedSession) => string | Promise<string>,
): Promise<Payoff | null> {
  const [argument, ...others] = answerArguments(tool);
  if (argument === undefined || others.length > 0) return null;
  const ways = Array.from({ length: SLOTS }, (_, slot) =>
    ENDINGS.map((ending) => ({ slot, ending })),
  ).flat();
  for (const { slot, ending } of ways) {
    const payoff = await payoffEverywhere(probe, async (session) => {
      const text = candidate(await textOf(session), slot, ending);
      return text === null ? null : answerWith(tool, argument, text);
    });
    if (payoff !== null) return payoff;
  }
  return null;
}

function answerArguments(tool: PlayableTool): readonly string[] {
  const required = requiredArguments(tool);
  return required.length > 0 ? required : Object.keys(argumentSchemas(tool));
}

function candidate(text: string, slot: number, ending: RegExp): string | null {
  const marked = [...text.matchAll(MARKER)][slot]?.[1] ?? "";
  return ending.exec(marked)?.[0].trim() || null;
}

/** Null when the argument is numeric and the text is not a number. */
function answerWith(tool: PlayableTool, argument: string, text: string): PlannedCall | null {
  const types = [argumentSchemas(tool)[argument]?.["type"] ?? "string"].flat();
  if (types.includes("string")) return { tool: tool.name, input: { [argument]: text } };
  const number = Number(text);
  return Number.isFinite(number) ? { tool: tool.name, input: { [argument]: number } } : null;
}

function leakFinding(place: string, { steps }: Payoff): CheckFinding {
  const [first] = steps;
  return {
    severity: "defect",
    message: `What ${place} says after a word such as "answer" earns a reward on every task tried.`,
    evidence: {
      ...stepEvidence(first),
      numbers: `rewarded in ${steps.length} of ${steps.length} sessions; a call without content is not`,
    },
    advice: `Take the answer out of ${place}.`,
  };
}

/** Tries values that a schema suggests and that leave no free choice. */
async function defaultsPay(probe: Probe): Promise<CheckOutcome | null> {
  for (const { name } of await triedTools(probe)) {
    const payoff = await payoffEverywhere(probe, ({ tools }) => {
      const tool = tools.find((each) => each.name === name);
      return tool === undefined ? null : suggestedCall(tool);
    });
    if (payoff === null) continue;
    const tool = (await triedTools(probe)).find((each) => each.name === name);
    if (tool === undefined || (await contentlessPayoff(probe, tool)) !== null) continue;
    const [first] = payoff.steps;
    return found(undefined, {
      severity: "defect",
      message: `The values that the schema of ${name} suggests earn a reward on every task tried.`,
      evidence: {
        ...stepEvidence(first),
        numbers: `rewarded in ${payoff.steps.length} of ${payoff.steps.length} sessions`,
      },
      advice: "Take answers out of default, const and examples.",
    });
  }
  return null;
}

function suggestedCall(tool: PlayableTool): PlannedCall | null {
  const schemas = argumentSchemas(tool);
  const names = answerArguments(tool);
  const entries = names.map((name) => [name, suggestion(schemas[name] ?? {})] as const);
  if (entries.length === 0 || entries.some(([, value]) => value === undefined)) return null;
  return { tool: tool.name, input: Object.fromEntries(entries) as JsonObject };
}

function suggestion(schema: JsonObject): Json | undefined {
  const { default: preset, examples, example, const: only } = schema;
  const first: Json | undefined = Array.isArray(examples) ? examples[0] : undefined;
  const choices = schema["enum"];
  const single: Json | undefined =
    Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
  return only ?? preset ?? example ?? first ?? single;
}

const OCCURRENCE_TASKS = 6;
const MIN_LENGTH = 3;
const MIN_DIFFERENT = 3;

/** Finds right answers that occur in the text on every task. Choices, and passages that are asked about, do so legitimately. */
async function occurrence(
  probe: Probe,
  place: string,
  textOf: (session: PlayedSession) => string,
): Promise<CheckFinding | null> {
  const oracle = await findOracle(probe);
  if (oracle === null) return null;
  const answers = new Set<string>();
  let example: CheckFinding["evidence"] = {};
  for (const task of await probe.playedTasks(OCCURRENCE_TASKS)) {
    const answer = await oracle.answerFor(task);
    if (answer === null || answer.length < MIN_LENGTH) return null;
    const text = await probe.session(task, async (session) => textOf(session));
    const at = positionOf(text, answer);
    if (at < 0) return null;
    answers.add(answer);
    example = {
      task: taskName(task),
      answer: shorten(text.slice(Math.max(0, at - 60), at + answer.length + 60)),
    };
  }
  if (answers.size < MIN_DIFFERENT) return null;
  return {
    severity: "warning",
    message: `The right answer is in ${place} on every task tried.`,
    evidence: { ...example, numbers: `${answers.size} different answers` },
    advice:
      "Nothing, if it is one of several choices or part of a text that is asked about; otherwise take it out.",
  };
}

/** Position of the answer as a separate word; -1 without one. */
function positionOf(text: string, answer: string): number {
  const isPart = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);
  for (let at = text.indexOf(answer); at >= 0; at = text.indexOf(answer, at + 1)) {
    if (!isPart(text.charAt(at - 1)) && !isPart(text.charAt(at + answer.length))) return at;
  }
  return -1;
}

/** What a model reads about a tool, without enum choices. */
function toolText({ description, schema }: PlayableTool): string {
  return `${description}\n${schema === null ? "" : textsOf(schema).join("\n")}`;
}

function textsOf(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap((each: Json) => textsOf(each));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === "enum" || key === "type" || key === "required" ? [] : textsOf(each),
  );
}
