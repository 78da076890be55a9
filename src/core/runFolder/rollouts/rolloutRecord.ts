/** The stored trajectory of one rollout: everything a replay shows, without token data. */

import * as z from "zod";
import { rolloutBeginning } from "./stepPhases.ts";

const count = z.number().int().nonnegative();
/** Numbers that are not finite are stored as null. */
const measure = z.number().nullable();

const toolResult = z
  .object({
    name: z.string(),
    text: z.string(),
    isError: z.boolean(),
    reward: measure,
    finished: z.boolean(),
    /** Arguments, as JSON text, of a call that an agent made itself; absent for a call of the model. */
    agentArgs: z.string().optional(),
  })
  .readonly();

const turn = z
  .object({
    sampledText: z.string(),
    reasoning: z.string().nullable(),
    content: z.string(),
    /** How much of `content`, in characters, stands before the first call. */
    lead: count,
    calls: z
      .array(
        z
          .object({
            name: z.string(),
            /** JSON text of an object: parsed, its large numbers would be rounded. */
            args: z.string(),
            raw: z.string(),
          })
          .readonly(),
      )
      .readonly(),
    errors: z
      .array(z.object({ kind: z.string(), raw: z.string(), message: z.string() }).readonly())
      .readonly(),
    /** In the order of `calls`; shorter when the rollout ended before all were run. */
    results: z.array(toolResult).readonly(),
    /** The message to the model when there was no result to show; null when there was one. */
    nudge: z.string().nullable(),
    /** Why sampling ended, as the service says. */
    stopReason: z.string(),
    /** Cut by the limit of tokens, not ended with its last one. */
    isTruncated: z.boolean(),
    startedAtMs: z.number(),
    durationMs: z.number(),
    /** From `startedAtMs` on, until the turn was sampled; tools had the rest. */
    samplingMs: count,
    /** Sampled tokens. */
    tokens: count,
    /** Position in the rollout of the token stream in which the turn was sampled. */
    stream: count,
    /** What the model was asked, where the turn begins another conversation of an agent. */
    asked: z.string().optional(),
  })
  .readonly();

/** The types are those of uploads. */
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
    /** Name in the folder `images`. */
    file: z.string(),
    width: count,
    height: count,
    /** Entries that it takes in the token sequence. */
    tokens: count,
  })
  .readonly();

const agentEnd = z
  .object({
    /** Exit code, or the signal that ended it; null when the rollout ended it. */
    exit: z.string().nullable(),
    /** The end of what it printed. */
    output: z.string(),
    /** What its requests were refused for. */
    refusals: z.array(z.object({ message: z.string(), count }).readonly()).readonly(),
    /** Why it counts as failed, as a sentence; absent where it does not, or where the error of the rollout says so. */
    failure: z.string().optional(),
  })
  .readonly();

/** How the rewards became one number: reduced, then clamped. */
const rewardBreakdown = z
  .object({
    /** Given by the environment when it compared the group, as the last of the rewards; null when it did not. */
    group: measure,
    /** Added for a rollout that did not reach a terminal state; null when none was. */
    nonterminal: measure,
    sum: measure,
    reduction: z.string(),
    reduced: measure,
    /** The rollout's reward; null when there was none to reduce, or none that can be trained on, which makes the rollout failed. */
    clamped: measure,
  })
  .readonly();

const rolloutKey = {
  step: count,
  /** Position of the group in the step. */
  group: count,
  /** Position of the rollout in its group. */
  rollout: count,
};

const task = {
  /** Names the task and its position in the data, for example `local/calculator:train:3`. */
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
    /** Counts starts of this rollout from 0; rises with each retry. */
    attempt: count,
    systemText: z.string().nullable(),
    /** What the model was asked, as one text. */
    promptText: z.string(),
    /** The same message by message where the environment opened with a conversation; empty where it gave a prompt. */
    conversation: z.array(openingMessage).readonly(),
    /** Those that were declared to the model: by an agent in its first request, else all of the environment. Long descriptions are cut. */
    tools: z
      .array(
        z
          .object({
            name: z.string(),
            description: z.string(),
            /** JSON Schema of the arguments as JSON text; absent where it was too long, and in older runs. */
            parameters: z.string().exactOptional(),
          })
          .readonly(),
      )
      .readonly(),
    turns: z.array(turn).readonly(),
    /** How the program of an agent ended; absent where none played. */
    agent: agentEnd.optional(),
    /** Those that the environment sent: `[image 1]` in a text is the first. */
    images: z.array(storedImage).readonly(),
    /** Every reward received, in order. */
    rewards: z.array(measure).readonly(),
    rewardBreakdown,
    /** What is trained on; null when the rollout failed. */
    reward: measure,
    stop: z.string(),
    error: z.string().nullable(),
    startedAtMs: z.number(),
    durationMs: z.number(),
    beginning: rolloutBeginning,
  })
  .readonly();

export type RolloutRecord = z.infer<typeof rolloutRecordSchema>;

const place = { offset: count, length: count };

/** Where the tokens of a stream lie. */
const tokenPlace = {
  ...place,
  /** Position of the token sequence in its rollout; above 0 only after a break of the stream. */
  stream: count,
};

/** What an evaluation stores of a rollout beside its record. */
export const evaluatedSchema = z.object({
  temperature: z.number(),
  /** Why the evaluation was played, as its line in `results.jsonl` has it. */
  purpose: z.string(),
  /** Name of the model; absent for the weights of the run itself. */
  model: z.string().optional(),
  tokenData: z.array(z.object(tokenPlace).readonly()).readonly(),
});

/** A rollout as an evaluation stores it. */
export type EvaluatedRollout = z.infer<typeof evaluatedSchema> & { readonly record: RolloutRecord };

/** What an evaluation played a rollout for. */
export type EvaluationUse = Pick<EvaluatedRollout, "temperature" | "purpose" | "model">;

/** The rollout of a line in a file of an evaluation, or null when it is none. */
export function parseEvaluatedRollout(value: unknown): EvaluatedRollout | null {
  const record = rolloutRecordSchema.safeParse(value).data;
  const evaluated = evaluatedSchema.safeParse(value).data;
  return record === undefined || evaluated === undefined ? null : { ...evaluated, record };
}

/** Characters of a task's text in a summary. */
const MAX_TASK_TEXT = 200;

const endedLine = z
  .object({
    kind: z.literal("ended"),
    ...rolloutKey,
    ...task,
    ...place,
    attempt: count,
    reward: measure,
    stop: z.string(),
    error: z.string().nullable(),
    turns: count,
    tokens: count,
    /** Those that ran; a malformed call does not. */
    toolCalls: count,
    failedToolCalls: count,
    durationMs: z.number(),
    /** How the prompt begins, on one line. */
    taskText: z.string(),
  })
  .readonly();

const scoredLine = z
  .object({
    kind: z.literal("scored"),
    ...rolloutKey,
    advantage: measure,
    /** That of each turn with `credit: reward_to_go`; absent otherwise. */
    turnAdvantages: z.array(z.number()).readonly().optional(),
    /** `trained`, or `excluded:` and why. */
    trainingUse: z.string(),
    /** What its length took off the reward before the advantage was computed; absent for nothing. */
    penalty: z.number().optional(),
  })
  .readonly();

const tokensLine = z
  .object({
    kind: z.literal("tokens"),
    ...rolloutKey,
    ...tokenPlace,
  })
  .readonly();

/** A line of the index: the summary of an ended rollout, its score, or where its token data lies. */
export const indexLineSchema = z.discriminatedUnion("kind", [endedLine, scoredLine, tokensLine]);

export type EndedLine = z.infer<typeof endedLine>;
export type ScoredLine = z.infer<typeof scoredLine>;
export type TokensLine = z.infer<typeof tokensLine>;
export type StoredTokenPlace = Pick<TokensLine, keyof typeof tokenPlace>;
export type IndexLine = z.infer<typeof indexLineSchema>;

/** The index line of a record whose body lies at `offset`. */
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

/** What the model was asked first, as one text: an agent may say something else than its environment. */
export function askedText({ agent, conversation, promptText }: RolloutRecord): string {
  if (agent === undefined || conversation.length === 0) return promptText;
  return conversation
    .map(
      ({ type, content, name }) =>
        `[${[type.replace("_message", ""), name].join(" ").trim()}]\n${content}`,
    )
    .join("\n\n");
}

/** How the prompt of a rollout begins, on one line. */
function taskTextOf({ promptText }: Pick<RolloutRecord, "promptText">): string {
  const start = promptText
    .slice(0, 4 * MAX_TASK_TEXT)
    .trim()
    .replace(/\s+/g, " ");
  return start.length > MAX_TASK_TEXT ? `${start.slice(0, MAX_TASK_TEXT - 1)}…` : start;
}
