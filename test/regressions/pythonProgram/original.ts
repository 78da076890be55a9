/** What the original program did, in a few lines each, so that tests can run it beside ours. */

import { isJsonObject, type JsonObject } from "../../../src/core/json.ts";
import type { Clock } from "../../../src/core/ports.ts";
import { Limiter } from "../../../src/core/util/limiter.ts";

interface OriginalTurn {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[] | null;
}

interface OriginalDatum {
  readonly tokens: readonly number[];
  readonly targets: readonly number[];
  readonly logprobs: readonly number[];
  readonly advantages: readonly number[];
}

/** Inputs as targets, cut after the fact; sampled values pushed together at the end; 0 for a missing log-prob. */
export function datum(
  stream: readonly number[],
  turns: readonly OriginalTurn[],
  advantage: number,
  maxTotalTokens = Number.POSITIVE_INFINITY,
): OriginalDatum {
  const tokens = stream.slice(0, maxTotalTokens);
  const values = turns.flatMap(({ tokens: own, logprobs }) => logprobs ?? own.map(() => 0));
  const place = (sampled: readonly number[]): readonly number[] =>
    tokens.map((_, i) => sampled[i - tokens.length + sampled.length] ?? 0);
  return {
    tokens,
    targets: tokens,
    logprobs: place(values),
    advantages: place(values.map(() => advantage)),
  };
}

/** One optimizer update over the whole batch, with two of Adam's six parameters. */
export function trainingCalls<T>(data: readonly T[], learning_rate: number, weight_decay: number) {
  return { updates: [data], adam: { learning_rate, weight_decay } };
}

/** What a sampling request carried. */
export function samplingParameters(environment: {
  readonly temperature: number;
  readonly top_p: number | null;
}): JsonObject {
  return { temperature: environment.temperature, top_p: environment.top_p ?? 1 };
}

/** A generator that all parts of a program share; its numbers depend on who asks first. */
export function sharedRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function shuffle<T>(items: readonly T[], random: () => number): readonly T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const [taken] = shuffled.splice(Math.floor(random() * (last + 1)), 1);
    if (taken !== undefined) shuffled.push(taken);
  }
  return shuffled;
}

/** The batch of any step: the head of a fresh shuffle of all tasks. */
export function batch<T>(tasks: readonly T[], size: number, random: () => number): readonly T[] {
  return shuffle(tasks, random).slice(0, size);
}

export function plannedSteps(tasks: number, batchSize: number, epochs: number): number {
  return epochs * Math.floor(tasks / batchSize);
}

/** Splits are shuffled by one generator in the order in which their counts arrive. */
export function taskOrders(
  arrivals: readonly { readonly name: string; readonly count: number }[],
  random: () => number,
): ReadonlyMap<string, readonly number[]> {
  return new Map(
    arrivals.map(({ name, count }) => [
      name,
      shuffle(
        Array.from({ length: count }, (_, index) => index),
        random,
      ),
    ]),
  );
}

/** Environments under the part of their name after the owner. */
export function environmentsByName(names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [name.slice(name.indexOf("/") + 1), name]));
}

/** Names of all saves of a run that completes `steps` steps, however it then ends. */
export function saves(steps: number, saveEvery: number): readonly string[] {
  return Array.from({ length: steps }, (_, step) => step)
    .filter((step) => saveEvery > 0 && (step + 1) % saveEvery === 0)
    .map((step) => `checkpoint_${String(step).padStart(6, "0")}`);
}

/** What a resume took from the checkpoint and what from the configuration, compared with nothing. */
export function resumeWith(config: { readonly model_name: string; readonly lora_rank: number }) {
  return { model: config.model_name, rank: config.lora_rank, isRefused: false };
}

/** The body of a save of sampler weights: the name that the caller gives is ignored. */
export function samplerSaveBody(_name: string): JsonObject {
  return { model_id: "S:train:0" };
}

/**
 * All rollouts at once under one limit, each with a clock that runs from the start of the step. Those that time out vanish.
 * Resolves with the number that finished.
 */
export async function playUnderStepClock(
  clock: Clock,
  limits: { readonly concurrency: number; readonly timeoutMs: number },
  rollouts: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<number> {
  const limiter = new Limiter(limits.concurrency);
  const results = await Promise.allSettled(
    rollouts.map(async (play) => {
      const timeout = new AbortController();
      const { signal } = timeout;
      const timing = clock.sleep(limits.timeoutMs).then(() => timeout.abort(new Error("late")));
      const playing = limiter.acquire({ signal }).then(async (release) => {
        await play(signal).finally(release);
      });
      await Promise.race([playing, timing]);
      signal.throwIfAborted();
    }),
  );
  return results.filter(({ status }) => status === "fulfilled").length;
}

/** Every rollout runs to its end, and then one refusal ends the run. */
export async function playAllOrNothing<T>(
  rollouts: readonly (() => Promise<T>)[],
): Promise<readonly T[]> {
  const results = await Promise.allSettled(rollouts.map((play) => play()));
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/** Turns that a model without a tool call gets: reminded until the tokens are spent. */
export function turnsUntilSpent(
  turnTokens: number,
  reminderTokens: number,
  budget: number,
): number {
  let turns = 0;
  for (let used = 0; used + turnTokens <= budget; used += turnTokens + reminderTokens) turns += 1;
  return turns;
}

/**
 * The first call anywhere in the text, inside reasoning too; null where there is none or it is not JSON.
 * Throws a TypeError for JSON that is no object, as indexing it did.
 */
export function firstCall(text: string): { readonly name: unknown; readonly args: unknown } | null {
  const payload = /<tool_call>(.*?)<\/tool_call>/s.exec(text)?.[1];
  if (payload === undefined) return null;
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return null;
  }
  if (!isJsonObject(value)) throw new TypeError("object is not subscriptable");
  return { name: value["name"], args: value["arguments"] };
}

/** How a turn was logged: a malformed call a second time, as a message of its own. */
export function loggedBlocks(turn: string): readonly JsonObject[] {
  const raw = /<tool_call>(.*?)<\/tool_call>/s.exec(turn)?.[1];
  const first = { role: "assistant", text: turn };
  const isMalformed = raw !== undefined && firstCall(turn) === null;
  return isMalformed ? [first, { role: "assistant", text: raw }] : [first];
}

/** What followed a sampled turn: nothing closes it, and the result is laid out as if it were trusted. */
export function textAfterCall(sampled: string, result: string): string {
  return `${sampled}\n<|im_start|>user\n<tool_response>\n${result}\n</tool_response><|im_end|>\n<|im_start|>assistant\n`;
}

/** The system text: Python's str.format, in which every brace is a field unless doubled. */
export function formatTemplate(template: string, tools: string): string {
  return template.replace(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (found, field: string | undefined) => {
    if (found === "{{") return "{";
    if (found === "}}") return "}";
    if (field === "tools") return tools;
    throw new Error(field === undefined ? "unmatched brace" : `KeyError: ${field}`);
  });
}

/** A prompt or result as the model saw it: its text blocks. */
export function visibleText(
  blocks: readonly { readonly type: string; readonly text?: string }[],
): string {
  return blocks.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("");
}

/** Rewards of a rollout with `mean`: the reward for not finishing is one of them. */
export function meanReward(rewards: readonly number[], nonterminal: number): number {
  const all = [...rewards, nonterminal];
  return all.reduce((sum, reward) => sum + reward, 0) / all.length;
}

export interface OriginalRollout {
  readonly stop: string;
  /** Null = failed. */
  readonly reward: number | null;
}

/** Groups that are trained: timed-out rollouts are no failures, equal rewards are dropped whatever the method. */
export function keptGroups(
  groups: readonly (readonly OriginalRollout[])[],
  maxFailing: number,
): readonly (readonly OriginalRollout[])[] {
  return groups
    .map((group) => group.filter(({ stop }) => stop !== "rollout_timeout"))
    .filter((group) => {
      const scored = group.filter(({ reward }) => reward !== null);
      const isMixed = scored.length === 1 || new Set(scored.map(({ reward }) => reward)).size > 1;
      return scored.length > 0 && group.length - scored.length <= maxFailing && isMixed;
    });
}

/** The row of a step, over kept groups only; null for a step that kept none. */
export function metricsRow(kept: readonly (readonly OriginalRollout[])[], loss: number) {
  const rollouts = kept.flat();
  if (rollouts.length === 0) return null;
  const rewards = rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  return {
    loss,
    num_errors: rollouts.filter(({ stop }) => stop === "error").length,
    rollout: { reward: { mean: rewards.reduce((sum, each) => sum + each, 0) / rewards.length } },
  };
}

/** A row as Python's json.dumps writes it. */
export function rowText(row: Readonly<Record<string, number>>): string {
  return `{${Object.entries(row)
    .map(([name, value]) => `"${name}": ${value}`)
    .join(", ")}}`;
}

/** What was kept about a rollout beside its messages. */
export function rolloutMetadata(step: number, rollout: number, stop: string, tools: string[]) {
  return {
    step,
    rollout,
    stop,
    num_tool_calls: tools.length,
    called_answer: tools.includes("answer"),
  };
}

/** The range checks there were, on group sizes and on sampling; every other value passed. */
export function acceptsValues(values: Readonly<Record<string, number>>): boolean {
  const isWithin = (name: string, low: number, high: number): boolean => {
    const value = values[name] ?? low;
    return low <= value && value <= high;
  };
  return (
    isWithin("num_rollouts", 2, Number.POSITIVE_INFINITY) &&
    isWithin("temperature", 0, 2) &&
    isWithin("top_p", 0, 1) &&
    isWithin("top_k", 0, Number.POSITIVE_INFINITY)
  );
}

/** What a loader of YAML 1.1 takes a scalar for: an exponent needs a dot and a sign. */
export function yamlScalar(text: string): string | number {
  return /^[-+]?\d+(\.\d*([eE][-+]\d+)?)?$/.test(text) ? Number(text) : text;
}

/** The command line: one value per option; nothing that stands alone; plain keys with dots between them. */
export function parseOverrides(args: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    args.map((arg) => {
      const match = /^--([\w.]+)=(.*)$/.exec(arg);
      if (match === null) throw new Error(`unrecognized arguments: ${arg}`);
      return [match[1] ?? "", match[2] ?? ""];
    }),
  );
}

/** Keys without which the program did not start, whatever it was to do. */
export function missingKeys(variables: Readonly<Record<string, string>>): readonly string[] {
  return ["OPENREWARD_API_KEY", "WANDB_API_KEY"].filter((name) => variables[name] === undefined);
}

/** Fields of the settings class; other keys without a value vanished. */
const SETTINGS = ["OPENREWARD_API_KEY", "WANDB_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"];

/** The secrets that an environment received. */
export function resolvedSecrets(
  wanted: Readonly<Record<string, string | null>>,
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([key, written]) => {
      const name = key.toUpperCase();
      const found = written ?? (SETTINGS.includes(name) ? variables[name] : undefined);
      return found === undefined ? [] : [[key, found]];
    }),
  );
}

/** The configuration as a tracker received it. */
export function trackedConfig(config: object): string {
  return JSON.stringify(config);
}
