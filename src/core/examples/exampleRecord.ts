/** Stores a demonstration in the same form as a rollout, so that everything that reads rollouts can read it. */

import { EXAMPLE_STOP } from "../../shared/outcome.ts";
import type { AssistantMessage, InitialMessage, ToolDeclaration } from "../chat/renderer.ts";
import type { TurnOutcome, TurnRecord } from "../rollout/episodeRecord.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { writeExactJson } from "../util/exactJson.ts";
import type { ChatExample, ExampleRecord } from "./example.ts";

export interface GivenTurn {
  readonly message: AssistantMessage;
  /** Messages up to the next turn of the model. */
  readonly answers: readonly InitialMessage[];
}

/** Splits a conversation into its opening and the model's turns. */
export function splitTurns(
  messages: readonly InitialMessage[],
  keepsThinking: boolean,
): { readonly opening: readonly InitialMessage[]; readonly turns: readonly GivenTurn[] } {
  const start = messages.findIndex(({ role }) => role === "assistant");
  const turns: { message: AssistantMessage; answers: InitialMessage[] }[] = [];
  for (const message of messages.slice(start)) {
    if (message.role === "assistant") {
      const kept = keepsThinking ? message : { ...message, reasoning: null };
      turns.push({ message: kept, answers: [] });
    } else turns.at(-1)?.answers.push(message);
  }
  return { opening: messages.slice(0, start), turns };
}

/** Outcome of a turn that was given, not sampled. */
export function givenOutcome(answers: readonly InitialMessage[], stream: number): TurnOutcome {
  const results = answers.flatMap((answer) =>
    answer.role === "tool"
      ? [{ name: answer.name, text: answer.content, isError: false, reward: null, finished: false }]
      : [],
  );
  const said = answers.filter(({ role }) => role === "user").map(({ content }) => content);
  return {
    stopReason: "stop",
    isTruncated: false,
    results,
    nudge: said.length === 0 ? null : said.join("\n"),
    startedAtMs: 0,
    durationMs: 0,
    samplingMs: 0,
    stream,
  };
}

export function exampleRecord(
  opening: readonly InitialMessage[],
  tools: readonly ToolDeclaration[],
  turns: readonly TurnRecord[],
): ExampleRecord {
  const system = opening.find(({ role }) => role === "system");
  const asked = opening.filter(({ role }) => role !== "system");
  return {
    systemText: system?.content ?? null,
    promptText: asked.map(({ content }) => content).join("\n\n"),
    conversation: [],
    tools: tools.map(({ function: { name, description, parameters } }) => {
      return { name, description, parameters: writeExactJson(parameters) };
    }),
    turns,
    images: [],
    ...withoutReward(),
    startedAtMs: 0,
    durationMs: 0,
    beginning: { queuedMs: 0, retriedMs: 0, waitedMs: 0, openedMs: 0 },
  };
}

/** A conversation as written in its file, without tokens. */
export function plainRecord({
  messages,
  tools,
}: Pick<ChatExample, "messages" | "tools">): ExampleRecord {
  const { opening, turns } = splitTurns(messages, true);
  return exampleRecord(opening, tools, turns.map(plainTurn));
}

function plainTurn({ message, answers }: GivenTurn): TurnRecord {
  const { content, reasoning } = message;
  const calls = message.calls.map(({ name, args }) => {
    const text = writeExactJson(args);
    return { name, args: text, raw: `${name} ${text}` };
  });
  const parts = [reasoning ?? "", content, ...calls.map(({ raw }) => raw)];
  return {
    sampledText: parts.filter((part) => part !== "").join("\n"),
    reasoning,
    content,
    lead: content.length,
    calls,
    errors: [],
    tokens: 0,
    ...givenOutcome(answers, 0),
  };
}

/** Demonstrations from files have no reward. */
function withoutReward(): Pick<
  RolloutRecord,
  "rewards" | "rewardBreakdown" | "reward" | "stop" | "error"
> {
  const breakdown = { group: null, nonterminal: null, sum: null, reduced: null, clamped: null };
  return {
    rewards: [],
    rewardBreakdown: { ...breakdown, reduction: "sum" },
    reward: null,
    stop: EXAMPLE_STOP,
    error: null,
  };
}
