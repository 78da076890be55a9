/** Output records of a step's or an evaluation's rollouts, as a list or turn by turn. */

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

const setShape = {
  source: z.enum(["training", "evaluation"]),
  step: count.describe("from 1; for an evaluation, the number of completed steps"),
};

const rolloutShape = {
  group: count.describe("from 1"),
  rollout: count.describe("number within its group, from 1"),
  environment: z.string(),
  split: z.string(),
  index: count.describe("index of the task in its split, from 0"),
  model: z
    .string()
    .nullable()
    .describe("the model's name in a standalone evaluation; null: the run's own weights"),
  temperature: measure.describe("for an evaluation; null: as configured for the environment"),
  reward: measure.describe("null: the rollout failed"),
  advantage: measure,
  trainingUse: z
    .string()
    .nullable()
    .describe("trained, or excluded: and the reason; null: not scored, or an evaluation"),
  stop: z.string().describe("why the rollout ended"),
  error: z.string().nullable(),
  durationMs: z.number(),
  mark: markShape.describe("the user's marks on the rollout"),
};

export const rolloutsOutput = defineOutput(
  { name: "rollouts", version: 1, command: "show RUN_FOLDER --step N --json" },
  {
    ...setShape,
    rollouts: list(
      z.object({
        ...rolloutShape,
        turns: count,
        tokens: count.describe("sampled tokens"),
        toolCalls: count.describe("calls that ran; malformed ones do not"),
        failedToolCalls: count,
      }),
    ).describe("for an evaluation, in the order of --rollout numbers"),
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
        .describe("arguments as JSON, for a call that an agent made itself"),
    }),
  ),
  answered: z.string().nullable().describe("the message sent to the model in place of a result"),
  sampledText: z.string().describe("as sampled, including control tokens"),
  stopReason: z.string(),
  tokens: count,
  stream: count.describe(
    "index of the token stream; above 0 if the conversation was rendered again, or an agent started another one",
  ),
  asked: z.string().optional().describe("prompt of another conversation of an agent"),
};

const agentShape = {
  exit: z
    .string()
    .nullable()
    .describe("exit code, or the signal that killed it; null: the rollout stopped it"),
  output: z.string().describe("the end of its output"),
  refusals: list(z.object({ message: z.string(), count })).describe(
    "why its requests were rejected",
  ),
  failure: z.string().optional().describe("why it counts as failed"),
};

const tokensShape = {
  stream: count,
  ids: list(z.number().int()),
  mask: list(z.number().int()).describe("1: trained on"),
  turns: list(z.number().int()).describe("turn of each token, from 0; -1: prompt"),
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
    ...setShape,
    trajectories: list(
      z.object({
        ...rolloutShape,
        systemText: z.string().nullable(),
        promptText: z.string().describe("the model's first prompt"),
        turns: list(z.object(turnShape)),
        agent: z.object(agentShape).optional().describe("how the agent ended"),
        rewards: list(measure).describe("all rewards received, in order"),
        rewardReduced: measure.describe("reward before clamping"),
        tokens: list(z.object(tokensShape))
          .nullable()
          .describe("token data by stream; null: not requested"),
      }),
    ),
  },
);

/** A set of rollouts as users refer to it. */
export interface RolloutsAt {
  readonly source: RolloutSource;
  /** From 1; for an evaluation, the number of completed steps. */
  readonly step: number;
}

/** The rollouts of a step that are in the run folder. @throws AppError `file-unreadable` */
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

/** Trajectories of the `summaries` that are completely on disk. @throws AppError `file-unreadable` */
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
