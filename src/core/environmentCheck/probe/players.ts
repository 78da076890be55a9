/** Players without a model: random calls, one call on many tasks, and answers that the environment reveals. */

import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { describeAnswer, describeCall, isFinal } from "./answer.ts";
import type { Evidence } from "./finding.ts";
import { drawArguments } from "./jsonSchema.ts";
import {
  type Play,
  type PlayedSession,
  type PlayedTask,
  type Probe,
  type Step,
  taskName,
} from "./probe.ts";
import { argumentSchemas, type PlayableTool, requiredArguments, textArguments } from "./tools.ts";
import { constantSource, randomSource } from "./valueSources.ts";

export type PlannedCall = Pick<Step, "tool" | "input">;

const RANDOM_PLAYS = 12;
const RANDOM_CALLS = 10;
/** Number of tasks on which the same call is tried. */
export const CHEAT_TASKS = 6;
/** Fewer tasks prove nothing, because the call may be right by chance. */
export const MIN_CHEAT_TASKS = 3;
const MAX_TOOLS = 8;
const MAX_CANDIDATES = 16;
const ORACLE_TASKS = 4;

/** Plays random valid calls until the episode ends, on tasks spread over the split. */
export function randomPlays(probe: Probe): Promise<readonly Play[]> {
  return probe.once("randomPlays", async () => {
    const tasks = await probe.playedTasks(RANDOM_PLAYS);
    const plays: Play[] = [];
    for (let i = 0; i < RANDOM_PLAYS && tasks.length > 0; i += 1) {
      const task = tasks[i % tasks.length];
      if (task !== undefined) plays.push(await randomPlay(probe, task, `random ${i}`));
    }
    return plays;
  });
}

/** `name` determines the seed of the calls. */
function randomPlay(probe: Probe, task: PlayedTask, name: string): Promise<Play> {
  const uniform = probe.uniform(name);
  return probe.session(task, async (session) => {
    const tools = session.tools.slice(0, MAX_TOOLS).filter(({ name: tool }) => !probe.isSlow(tool));
    const source = randomSource(uniform, probe.vocabulary);
    for (let i = 0; i < RANDOM_CALLS && !session.isOver; i += 1) {
      const tool = tools[Math.floor(uniform() * tools.length)];
      if (tool === undefined) break;
      await session.call(tool.name, drawArguments(tool.schema, source));
    }
    return session;
  });
}

/** A step with its task. */
export interface PaidStep {
  readonly task: PlayedTask;
  readonly step: Step;
}

/** A call and its answer as evidence. */
export function stepEvidence(paid: PaidStep | undefined): Evidence {
  if (paid === undefined) return {};
  const { task, step } = paid;
  return { task: taskName(task), call: describeCall(step), answer: describeAnswer(step.answer) };
}

/** All steps played so far. */
export function playedSteps({ plays }: Probe): readonly PaidStep[] {
  return plays.flatMap(({ task, steps }) => steps.map((step) => ({ task, step })));
}

/** Whether the last call ended the episode. */
export function hasEnded({ steps }: Play): boolean {
  const last = steps.at(-1);
  return last !== undefined && isFinal(last.answer);
}

/** Rewards of the same kind of call, which paid on every task. */
export interface Payoff {
  readonly steps: readonly PaidStep[];
  readonly rewards: readonly number[];
  readonly isSame: boolean;
  /** Whether the call ended every episode. */
  readonly endsAll: boolean;
}

export function rewardOf({ answer }: Step): number {
  return answer.kind === "result" ? (answer.reward ?? 0) : 0;
}

/**
 * Makes the call returned by `plan`, which may make other calls first, in a session of each of `count` tasks. Null unless every call
 * earns more than 0; stops at the first that does not.
 */
export async function payoffEverywhere(
  probe: Probe,
  plan: (session: PlayedSession) => Promise<PlannedCall | null> | PlannedCall | null,
  count = CHEAT_TASKS,
): Promise<Payoff | null> {
  const tasks = await probe.playedTasks(count);
  const steps: PaidStep[] = [];
  for (const task of tasks) {
    const step = await probe.session(task, async (session) => {
      const call = await plan(session);
      if (call === null) return null;
      await session.call(call.tool, call.input);
      return session.steps.at(-1) ?? null;
    });
    if (step === null || !(rewardOf(step) > 0)) return null;
    steps.push({ task, step });
  }
  return steps.length < MIN_CHEAT_TASKS ? null : payoffOf(steps);
}

function payoffOf(steps: readonly PaidStep[]): Payoff {
  const rewards = steps.map(({ step }) => rewardOf(step));
  const isSame = new Set(rewards).size === 1;
  return { steps, rewards, isSame, endsAll: steps.every(({ step }) => isFinal(step.answer)) };
}

/** A call with fixed arguments: `text` for every string, and the first or last choice of everything else. */
export function constantCall(tool: PlayableTool, text: string, choice = 0): PlannedCall {
  return { tool: tool.name, input: drawArguments(tool.schema, constantSource(text, choice)) };
}

/** Reward of a call without content on every task; null when it does not pay. */
export function contentlessPayoff(probe: Probe, tool: PlayableTool): Promise<Payoff | null> {
  return probe.once(`contentless ${tool.name}`, async () => {
    const first = await payoffEverywhere(probe, () => constantCall(tool, "x"));
    if (first === null) return null;
    const second = await payoffEverywhere(probe, () => constantCall(tool, "qqq zz", 1));
    return second === null ? null : payoffOf([...first.steps, ...second.steps]);
  });
}

/** Tools that cheats are tried with: at most 8. */
export async function triedTools(probe: Probe): Promise<readonly PlayableTool[]> {
  return (await probe.tools()).slice(0, MAX_TOOLS);
}

/** Right answers that the environment reveals, verified by playing them. */
export interface Oracle {
  /** Such as ``the metadata `truth` ``. */
  readonly source: string;
  /** The lowest reward that it earned. */
  readonly reward: number;
  /** Null if the task has no such answer. */
  callFor(task: PlayedTask): Promise<PlannedCall | null>;
  /** The answer itself. */
  answerFor(task: PlayedTask): Promise<string | null>;
}

type VerifiedOracle = Oracle & Pick<Payoff, "endsAll">;

interface Leaf {
  readonly path: string;
  readonly value: string | number | boolean;
}

const ANSWER_NAME =
  /^(answers?|truth|ground_?truth|solutions?|targets?|secret|label|expected|gold|correct|key|reference|result|output|word)$/i;

/**
 * Searches task data and result metadata for values that earn more than a call without content. Prefers calls that end the episode over
 * those that may be rewarded intermediate steps; among these, the highest reward.
 */
export function findOracle(probe: Probe): Promise<Oracle | null> {
  return probe.once("oracle", async () => {
    const tasks = await probe.playedTasks(ORACLE_TASKS);
    const [first] = tasks;
    if (first === undefined || tasks.length < MIN_CHEAT_TASKS) return null;
    const oracles: VerifiedOracle[] = [];
    for (const origin of ["data", "metadata"] as const) {
      const leaves = (await leavesOf(probe, first, origin)).slice(0, MAX_CANDIDATES);
      const plans = (await triedTools(probe)).flatMap((tool) =>
        answerPlans(tool, leaves).map((plan) => ({ origin, tool, plan })),
      );
      for (const plan of plans) {
        const oracle = await verify(probe, tasks, plan);
        if (oracle !== null) oracles.push(oracle);
      }
    }
    const [best] = oracles.toSorted(
      (a, b) => Number(b.endsAll) - Number(a.endsAll) || b.reward - a.reward,
    );
    return best ?? null;
  });
}

/** A call with the right answer to a task; null if unknown. */
export async function rightCall(probe: Probe, task: PlayedTask): Promise<PlannedCall | null> {
  return (await (await findOracle(probe))?.callFor(task)) ?? null;
}

/** Path of the value for each required argument. */
type AnswerPlan = Readonly<Record<string, string>>;

/** For a tool with one argument, each value; with several, values with the same names. */
function answerPlans(tool: PlayableTool, leaves: readonly Leaf[]): readonly AnswerPlan[] {
  const schemas = argumentSchemas(tool);
  const required = requiredArguments(tool);
  const names = required.length > 0 ? required : Object.keys(schemas);
  const [only, ...others] = names;
  if (only === undefined) return [];
  if (others.length === 0) {
    return leaves
      .filter(({ value }) => fitted(value, schemas[only]) !== null)
      .map(({ path }) => ({ [only]: path }));
  }
  const pairs = names.flatMap((name) => {
    const leaf = leaves.find(({ path }) => path.split(".").at(-1) === name);
    return leaf === undefined ? [] : [[name, leaf.path] as const];
  });
  return pairs.length === names.length ? [Object.fromEntries(pairs)] : [];
}

async function verify(
  probe: Probe,
  tasks: readonly PlayedTask[],
  {
    origin,
    tool,
    plan,
  }: {
    readonly origin: "data" | "metadata";
    readonly tool: PlayableTool;
    readonly plan: AnswerPlan;
  },
): Promise<VerifiedOracle | null> {
  const schemas = argumentSchemas(tool);
  const valuesFor = async (task: PlayedTask): Promise<JsonObject | null> => {
    const leaves = await leavesOf(probe, task, origin);
    const entries = Object.entries(plan).map(([name, path]) => {
      const value = leaves.find((leaf) => leaf.path === path)?.value;
      return [name, value === undefined ? null : fitted(value, schemas[name])] as const;
    });
    return entries.some(([, value]) => value === null) ? null : Object.fromEntries(entries);
  };
  const rewards: number[] = [];
  let endsAll = true;
  for (const task of tasks) {
    const input = await valuesFor(task);
    if (input === null) return null;
    const play = await probe.play(task, [{ tool: tool.name, input }]);
    endsAll &&= hasEnded(play);
    const [step] = play.steps;
    const earned = step === undefined ? 0 : rewardOf(step);
    const { input: empty } = constantCall(tool, "x");
    const [control] = await probe.once(`control ${tool.name} ${task.index}`, async () => {
      return (await probe.play(task, [{ tool: tool.name, input: empty }])).steps;
    });
    if (!(earned > (control === undefined ? 0 : rewardOf(control)))) return null;
    rewards.push(earned);
  }
  return {
    source: `${origin === "data" ? "the task data" : "the metadata of results"} (${Object.values(plan).join(", ")})`,
    reward: Math.min(...rewards),
    endsAll,
    callFor: async (task) => {
      const input = await valuesFor(task);
      return input === null ? null : { tool: tool.name, input };
    },
    answerFor: async (task) => {
      const input = await valuesFor(task);
      return input === null ? null : Object.values(input).map(String).join(" ");
    },
  };
}

/** The value as the schema requires it; null if not convertible. */
function fitted(
  value: Leaf["value"],
  schema: JsonObject | undefined,
): string | number | boolean | null {
  const types = [schema?.["type"] ?? "string"].flat();
  if (types.includes("string")) return String(value);
  const number = typeof value === "boolean" ? Number.NaN : Number(value);
  const isNumber =
    types.includes("number") || (types.includes("integer") && Number.isInteger(number));
  if (isNumber && value !== "" && Number.isFinite(number)) return number;
  return types.includes("boolean") && typeof value === "boolean" ? value : null;
}

/** Values of a task, those named like an answer first. */
function leavesOf(
  probe: Probe,
  task: PlayedTask,
  origin: "data" | "metadata",
): Promise<readonly Leaf[]> {
  return probe.once(`leaves ${origin} ${task.split} ${task.index}`, async () => {
    const data = origin === "data" ? await probe.dataOf(task) : await metadataOf(probe, task);
    const leaves = data === null ? [] : leavesIn(data, "", 0);
    const isNamed = ({ path }: Leaf): boolean => ANSWER_NAME.test(path.split(".").at(-1) ?? "");
    return [...leaves.filter(isNamed), ...leaves.filter((leaf) => !isNamed(leaf))];
  });
}

/** Metadata of the first result that has some, after calling each tool without content. */
async function metadataOf(probe: Probe, task: PlayedTask): Promise<JsonObject | null> {
  for (const tool of await triedTools(probe)) {
    const play = await probe.play(task, [constantCall(tool, "x")]);
    for (const { answer } of play.steps) {
      if (isFinal(answer) && answer.metadata !== null) return answer.metadata;
    }
  }
  return null;
}

const MAX_LEAVES = 60;

function leavesIn(value: Json, path: string, depth: number): readonly Leaf[] {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return [{ path, value }];
  }
  if (value === null || depth > 4) return [];
  const entries = isJsonObject(value)
    ? Object.entries(value)
    : value.slice(0, 3).map((each: Json, index) => [String(index), each] as const);
  return entries
    .flatMap(([key, each]) => leavesIn(each, path === "" ? key : `${path}.${key}`, depth + 1))
    .slice(0, MAX_LEAVES);
}

/** A call with `text` in every argument that accepts any text; null for a tool without one. */
export function callWithText(tool: PlayableTool, text: string): PlannedCall | null {
  const names = textArguments(tool);
  if (names.length === 0) return null;
  const { input } = constantCall(tool, text);
  return {
    tool: tool.name,
    input: { ...input, ...Object.fromEntries(names.map((name) => [name, text])) },
  };
}
