/** The stored trajectory of one rollout: everything a replay shows, except token data. */

import * as z from "zod";
import { rolloutBeginning } from "./stepPhases.ts";

const count = z.number().int().nonnegative();
/** Non-finite numbers are stored as null. */
const measure = z.number().nullable();

const toolResult = z
  .object({
    name: z.string(),
    text: z.string(),
    isError: z.boolean(),
    reward: measure,
    finished: z.boolean(),
    /** JSON text of the arguments, for a call that an agent made itself; absent for a call of the model. */
    agentArgs: z.string().optional(),
  })
  .readonly();

const turn = z
  .object({
    sampledText: z.string(),
    reasoning: z.string().nullable(),
    content: z.string(),
    /** Length in characters of the part of `content` before the first call. */
    lead: count,
    calls: z
      .array(
        z
          .object({
            name: z.string(),
            /** JSON text of an object; parsing it would round large numbers. */
            args: z.string(),
            raw: z.string(),
          })
          .readonly(),
      )
      .readonly(),
    errors: z
      .array(z.object({ kind: z.string(), raw: z.string(), message: z.string() }).readonly())
      .readonly(),
    /** In the order of `calls`; shorter if the rollout ended before all had run. */
    results: z.array(toolResult).readonly(),
    /** The message sent to the model in place of a result; null if there was a result. */
    nudge: z.string().nullable(),
    /** Why sampling ended, according to the service. */
    stopReason: z.string(),
    /** Cut off by the token limit rather than ended by the model. */
    isTruncated: z.boolean(),
    startedAtMs: z.number(),
    durationMs: z.number(),
    /** Time from `startedAtMs` until the turn was sampled; the rest was spent in tools. */
    samplingMs: count,
    /** Sampled tokens. */
    tokens: count,
    /** Index within the rollout of the token stream that the turn was sampled in. */
    stream: count,
    /** The model's new prompt, if the turn starts another conversation of an agent. */
    asked: z.string().optional(),
  })
  .readonly();

/** The types are those of uploads to OpenReward. */
const openingMessage = z
  .object({
    type: z.enum([
      "system_message",
      "user_message",
      "assistant_message",
      "reasoning",
      "tool_call",
      "tool_result",
    ]),
    /** For a call, its arguments as JSON text. */
    content: z.string(),
    name: z.string().exactOptional(),
    callId: z.string().exactOptional(),
  })
  .readonly();

const storedImage = z
  .object({
    /** File name in the folder `images`. */
    file: z.string(),
    width: count,
    height: count,
    /** Number of entries it takes in the token sequence. */
    tokens: count,
  })
  .readonly();

const agentEnd = z
  .object({
    /** Exit code, or the signal that killed it; null if the rollout stopped it. */
    exit: z.string().nullable(),
    /** The end of its output. */
    output: z.string(),
    /** Why its requests were rejected. */
    refusals: z.array(z.object({ message: z.string(), count }).readonly()).readonly(),
    /** A sentence on why it counts as failed; absent if it does not. */
    failure: z.string().optional(),
  })
  .readonly();

/** How the rewards became one number: reduced, then clamped. */
const rewardBreakdown = z
  .object({
    /** Reward from the environment's group comparison, the last of the rewards; null if there was none. */
    group: measure,
    /** Added because the rollout did not reach a terminal state; null if nothing was added. */
    nonterminal: measure,
    sum: measure,
    reduction: z.string(),
    reduced: measure,
    /** The rollout's reward; null if there was none to reduce or it cannot be trained on, which makes the rollout failed. */
    clamped: measure,
  })
  .readonly();

const rolloutKey = {
  step: count,
  /** Index of the group in the step. */
  group: count,
  /** Index of the rollout in its group. */
  rollout: count,
};

const task = {
  /** Identifies the task by its position in the data, for example `local/calculator:train:3`. */
  taskKey: z.string(),
  environment: z.string(),
  split: z.string(),
  /** Index of the task in its split. */
  index: count,
};

export const rolloutRecordSchema = z
  .object({
    ...rolloutKey,
    ...task,
    /** Number of earlier starts of this rollout; rises with each retry. */
    attempt: count,
    systemText: z.string().nullable(),
    /** The model's prompt as one text. */
    promptText: z.string(),
    /** The prompt message by message if the environment opened with a conversation; empty if it gave a prompt. */
    conversation: z.array(openingMessage).readonly(),
    /** Tools declared to the model: those of the agent's first request, else all of the environment's. Long descriptions are cut. */
    tools: z
      .array(
        z
          .object({
            name: z.string(),
            description: z.string(),
            /** JSON Schema of the arguments as JSON text; absent if it was too long, and in older runs. */
            parameters: z.string().exactOptional(),
          })
          .readonly(),
      )
      .readonly(),
    turns: z.array(turn).readonly(),
    /** How the agent's program ended; absent without an agent. */
    agent: agentEnd.optional(),
    /** The environment's images; `[image 1]` in a text is the first. */
    images: z.array(storedImage).readonly(),
    /** All rewards received, in order. */
    rewards: z.array(measure).readonly(),
    rewardBreakdown,
    /** The reward used for training; null if the rollout failed. */
    reward: measure,
    stop: z.string(),
    error: z.string().nullable(),
    startedAtMs: z.number(),
    durationMs: z.number(),
    beginning: rolloutBeginning,
  })
  .readonly();

export type RolloutRecord = z.infer<typeof rolloutRecordSchema>;

const byteRange = { offset: count, length: count };

/** The location of a stream's tokens. */
const tokenRange = {
  ...byteRange,
  /** Index of the token stream in its rollout; above 0 only after a break of the stream. */
  stream: count,
};

/** What an evaluation stores for a rollout besides its record. */
export const evaluatedSchema = z.object({
  temperature: z.number(),
  /** Why the evaluation was run, as in its line of `results.jsonl`. */
  purpose: z.string(),
  /** Name of the model; absent for the run's own weights. */
  model: z.string().optional(),
  tokenData: z.array(z.object(tokenRange).readonly()).readonly(),
});

/** A rollout as an evaluation stores it. */
export type EvaluatedRollout = z.infer<typeof evaluatedSchema> & { readonly record: RolloutRecord };

/** The evaluation that a rollout belongs to. */
export type EvaluationUse = Pick<EvaluatedRollout, "temperature" | "purpose" | "model">;

/** Parses a line of an evaluation's file; null if it is not a rollout. */
export function parseEvaluatedRollout(value: unknown): EvaluatedRollout | null {
  const record = rolloutRecordSchema.safeParse(value).data;
  const evaluated = evaluatedSchema.safeParse(value).data;
  return record === undefined || evaluated === undefined ? null : { ...evaluated, record };
}

/** Length limit of a task's text in a summary. */
const MAX_TASK_TEXT = 200;

const endedLine = z
  .object({
    kind: z.literal("ended"),
    ...rolloutKey,
    ...task,
    ...byteRange,
    attempt: count,
    reward: measure,
    stop: z.string(),
    error: z.string().nullable(),
    turns: count,
    tokens: count,
    /** Calls that ran; malformed ones do not. */
    toolCalls: count,
    failedToolCalls: count,
    durationMs: z.number(),
    /** The start of the prompt, on one line. */
    taskText: z.string(),
  })
  .readonly();

const scoredLine = z
  .object({
    kind: z.literal("scored"),
    ...rolloutKey,
    advantage: measure,
    /** Advantage of each turn with `credit: reward_to_go`; absent otherwise. */
    turnAdvantages: z.array(z.number()).readonly().optional(),
    /** `trained`, or `excluded:` plus the reason. */
    trainingUse: z.string(),
    /** Length penalty subtracted from the reward before the advantage was computed; absent = none. */
    penalty: z.number().optional(),
  })
  .readonly();

const tokensLine = z
  .object({
    kind: z.literal("tokens"),
    ...rolloutKey,
    ...tokenRange,
  })
  .readonly();

/** A line of the index: the summary of an ended rollout, its score, or the location of its token data. */
export const indexLineSchema = z.discriminatedUnion("kind", [endedLine, scoredLine, tokensLine]);

export type EndedLine = z.infer<typeof endedLine>;
export type ScoredLine = z.infer<typeof scoredLine>;
export type TokensLine = z.infer<typeof tokensLine>;
export type StoredTokenRange = Pick<TokensLine, keyof typeof tokenRange>;
export type IndexLine = z.infer<typeof indexLineSchema>;

/** The index line for a record whose body is at `offset`. */
export function summarizeRollout(
  record: RolloutRecord,
  at: { readonly offset: number; readonly length: number },
): EndedLine {
  const { step, group, rollout, taskKey, environment, split, index, attempt, turns } = record;
  const results = turns.flatMap((item) => item.results);
  return {
    kind: "ended",
    step,
    group,
    rollout,
    taskKey,
    environment,
    split,
    index,
    attempt,
    ...at,
    reward: record.reward,
    stop: record.stop,
    error: record.error,
    turns: turns.length,
    tokens: turns.reduce((sum, item) => sum + item.tokens, 0),
    toolCalls: results.length,
    failedToolCalls: results.filter((result) => result.isError).length,
    durationMs: record.durationMs,
    taskText: taskTextOf(record),
  };
}

/** The first prompt the model saw, as one text; an agent's may differ from its environment's. */
export function askedText({ agent, conversation, promptText }: RolloutRecord): string {
  if (agent === undefined || conversation.length === 0) return promptText;
  return conversation
    .map(
      ({ type, content, name }) =>
        `[${[type.replace("_message", ""), name].join(" ").trim()}]\n${content}`,
    )
    .join("\n\n");
}

/** The start of a rollout's prompt, on one line. */
function taskTextOf({ promptText }: Pick<RolloutRecord, "promptText">): string {
  const start = promptText
    .slice(0, 4 * MAX_TASK_TEXT)
    .trim()
    .replace(/\s+/g, " ");
  return start.length > MAX_TASK_TEXT ? `${start.slice(0, MAX_TASK_TEXT - 1)}…` : start;
}
