/** The rollouts of a step or of an evaluation, in a list or turn by turn. */

import * as z from "zod";
import type { Mark } from "../../shared/marks.ts";
import type { RolloutKey, RolloutSource } from "../../shared/rolloutSet.ts";
import { markFinder } from "../runFolder/marks.ts";
import { type RolloutSummary, type RunReader, rolloutsInOrder } from "../runFolder/reader.ts";
import { askedText, type RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../runFolder/rollouts/tokenRecord.ts";
import { count, defineOutput, finite, list, measure } from "./output.ts";

export const markShape = z.object({
  star: z.boolean(),
  pin: z.boolean(),
  tags: list(z.string()),
  note: z.string(),
});

const place = {
  source: z.enum(["training", "evaluation"]),
  step: count.describe("counted from 1; of an evaluation the completed steps"),
};

const rolloutShape = {
  group: count.describe("counted from 1"),
  rollout: count.describe("position in its group, counted from 1"),
  environment: z.string(),
  split: z.string(),
  index: count.describe("of the task in its split, counted from 0"),
  model: z
    .string()
    .nullable()
    .describe("in an evaluation by itself the model's name; null: the weights of the run"),
  temperature: measure.describe("of an evaluation; null: as the environment's configuration says"),
  reward: measure.describe("null: the rollout failed"),
  advantage: measure,
  trainingUse: z
    .string()
    .nullable()
    .describe("trained, or excluded: and why; null: not scored, or of an evaluation"),
  stop: z.string().describe("why the rollout ended"),
  error: z.string().nullable(),
  durationMs: z.number(),
  mark: markShape.describe("what a user marked the rollout with"),
};

export const rolloutsOutput = defineOutput(
  { name: "rollouts", version: 1, command: "show RUN_FOLDER --step N --json" },
  {
    ...place,
    rollouts: list(
      z.object({
        ...rolloutShape,
        turns: count,
        tokens: count.describe("sampled"),
        toolCalls: count.describe("that ran; a malformed call does not"),
        failedToolCalls: count,
      }),
    ).describe("those of an evaluation in the order in which --rollout counts them"),
    omission: z.string().nullable().describe("what is not listed because the file is too long"),
  },
);

const turnShape = {
  reasoning: z.string().nullable(),
  content: z.string(),
  calls: list(z.object({ name: z.string(), arguments: z.string().describe("JSON") })),
  unreadableCalls: list(z.object({ text: z.string(), problem: z.string() })),
  results: list(
    z.object({
      name: z.string(),
      text: z.string(),
      isError: z.boolean(),
      reward: measure,
      finished: z.boolean(),
      agentArgs: z
        .string()
        .optional()
        .describe("JSON, the arguments of a call that an agent made itself"),
    }),
  ),
  answered: z.string().nullable().describe("the message to the model instead of a result"),
  sampledText: z.string().describe("as it was sampled, control tokens included"),
  stopReason: z.string(),
  tokens: count,
  stream: count.describe(
    "of tokens; above 0 the conversation was rendered again, or is another one of an agent",
  ),
  asked: z.string().optional().describe("what begins another conversation of an agent"),
};

const agentShape = {
  exit: z
    .string()
    .nullable()
    .describe("exit code, or the signal that ended it; null: the rollout ended it"),
  output: z.string().describe("the end of what it printed"),
  refusals: list(z.object({ message: z.string(), count })).describe("of its requests"),
  failure: z.string().optional().describe("why it counts as failed, where no error says so"),
};

const tokensShape = {
  stream: count,
  ids: list(z.number().int()),
  mask: list(z.number().int()).describe("1: trained on"),
  turns: list(z.number().int()).describe("-1: of the prompt; else counted from 0"),
  samplerLogprobs: list(measure),
  trainerLogprobs: list(measure),
  advantages: list(measure),
};

export const trajectoriesOutput = defineOutput(
  {
    name: "trajectories",
    version: 1,
    command: "show RUN_FOLDER --step N --group N [--rollout N] [--tokens] --json",
  },
  {
    ...place,
    trajectories: list(
      z.object({
        ...rolloutShape,
        systemText: z.string().nullable(),
        promptText: z.string().describe("what the model was asked first"),
        turns: list(z.object(turnShape)),
        agent: z.object(agentShape).optional().describe("how the agent that played ended"),
        rewards: list(measure).describe("all that were received, in order"),
        rewardReduced: measure.describe("before it was clamped"),
        tokens: list(z.object(tokensShape))
          .nullable()
          .describe("those that were trained on, by stream; null: not asked for"),
      }),
    ),
  },
);

/** A set of rollouts as a user names it. */
export interface RolloutsAt {
  readonly source: RolloutSource;
  /** Counted from 1; of an evaluation the completed steps. */
  readonly step: number;
}

/** What of a step is in the run folder. @throws AppError `file-unreadable` */
export async function describeRollouts(
  reader: RunReader,
  { source, step }: RolloutsAt,
): Promise<ReturnType<typeof rolloutsOutput.of>> {
  const stored = source === "training" ? step - 1 : step;
  const { rollouts, omission } = await reader.rolloutList(stored, source);
  const markOf = markFinder(await reader.marks());
  return rolloutsOutput.of({
    source,
    step,
    omission,
    rollouts: rolloutsInOrder(rollouts).map((summary) => {
      const { turns, tokens, toolCalls, failedToolCalls } = summary;
      return {
        ...rolloutFields(summary, markOf),
        turns,
        tokens,
        toolCalls,
        failedToolCalls,
      };
    }),
  });
}

/** Those of `summaries` that are wholly on disk. @throws AppError `file-unreadable` */
export async function describeTrajectories(
  reader: RunReader,
  at: RolloutsAt,
  {
    summaries,
    wantsTokens,
  }: {
    readonly summaries: readonly RolloutSummary[];
    readonly wantsTokens: boolean;
  },
): Promise<ReturnType<typeof trajectoriesOutput.of>> {
  const trajectories = [];
  const markOf = markFinder(await reader.marks());
  for (const summary of summaries) {
    const record = await reader.body(summary);
    if (record === null) continue;
    const tokens = wantsTokens ? await tokensOf(reader, summary) : null;
    trajectories.push({ ...rolloutFields(summary, markOf), ...trajectoryFields(record), tokens });
  }
  return trajectoriesOutput.of({ ...at, trajectories });
}

function rolloutFields(summary: RolloutSummary, markOf: (key: RolloutKey) => Mark) {
  const { group, rollout, environment, split, index, model, temperature, score, stop } = summary;
  const mark = markOf(summary);
  return {
    group: group + 1,
    rollout: rollout + 1,
    environment,
    split,
    index,
    model: model ?? null,
    temperature,
    stop,
    reward: finite(summary.reward),
    advantage: finite(score?.advantage),
    trainingUse: score?.trainingUse ?? null,
    error: summary.error,
    durationMs: summary.durationMs,
    mark: { ...mark, tags: [...mark.tags] },
  };
}

function trajectoryFields(record: RolloutRecord) {
  const { systemText, turns, agent, rewards, rewardBreakdown } = record;
  return {
    systemText,
    promptText: askedText(record),
    agent,
    rewards: [...rewards],
    rewardReduced: rewardBreakdown.reduced,
    turns: turns.map(({ calls, errors, results, nudge, ...turn }) => ({
      ...turn,
      calls: calls.map(({ name, args }) => ({ name, arguments: args })),
      unreadableCalls: errors.map(({ raw, message }) => ({ text: raw, problem: message })),
      results: [...results],
      answered: nudge,
    })),
  };
}

async function tokensOf(reader: RunReader, summary: RolloutSummary) {
  const { tokenData } = summary;
  const records = await Promise.all(tokenData.map((entry) => reader.tokens(summary, entry)));
  return records.flatMap((record) => (record === null ? [] : [tokenFields(record)]));
}

function tokenFields(record: TokenRecord) {
  const { stream, ids, mask, turns, samplerLogprobs, trainerLogprobs, advantages } = record;
  return {
    stream,
    ids: Array.from(ids),
    mask: Array.from(mask),
    turns: Array.from(turns),
    samplerLogprobs: Array.from(samplerLogprobs, finite),
    trainerLogprobs: Array.from(trainerLogprobs, finite),
    advantages: Array.from(advantages, finite),
  };
}
