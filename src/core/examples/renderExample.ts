/** Writes a conversation in the tokens of the model, in the streams that a rollout of it would have had. */

import { EXAMPLE_STOP } from "../../shared/outcome.ts";
import type { Chat } from "../chat/chat.ts";
import type {
  AssistantMessage,
  FollowUp,
  InitialMessage,
  ParsedTurn,
  ToolDeclaration,
} from "../chat/renderer.ts";
import { renderAside } from "../chat/tokenizer.ts";
import { AppError } from "../errors.ts";
import { type TurnRecord, turnRecord } from "../rollout/episodeRecord.ts";
import { TokenStreams } from "../rollout/tokenStreams.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { sortKeys, writeExactJson } from "../util/exactJson.ts";
import type { ChatExample, Example, ExampleRecord } from "./example.ts";

export interface RenderOptions {
  readonly chat: Chat;
  readonly trainOn: "all_turns" | "last_turn";
  /** False leaves out the reasoning of all turns. */
  readonly trainThinking: boolean;
}

interface GivenTurn {
  readonly message: AssistantMessage;
  /** What follows it, up to the next turn of the model. */
  readonly answers: readonly InitialMessage[];
}

/**
 * @throws AppError `example-unwritable` when the format cannot write a turn so that it is read as what was given, `chat-render`,
 * `chat-bridge`
 */
export async function renderExample(
  { messages, tools }: Pick<ChatExample, "messages" | "tools">,
  { chat, trainOn, trainThinking }: RenderOptions,
): Promise<Pick<Example, "streams" | "record">> {
  const start = messages.findIndex(({ role }) => role === "assistant");
  const first = { messages: messages.slice(0, start), tools };
  const turns = givenTurns(messages.slice(start), trainThinking);
  const { renderer, tokenizer } = chat;
  const tokens = await renderAside(tokenizer, () =>
    renderer.renderInitial(first.messages, first.tools),
  );
  const streams = new TokenStreams(chat, { first, tokens });
  const records: TurnRecord[] = [];
  for (const [i, { message, answers }] of turns.entries()) {
    const isLast = i === turns.length - 1;
    const ids = await renderAside(tokenizer, () => renderer.writeTurn(message));
    const parsed = renderer.parse(ids, tools);
    requireRead(chat, parsed, message, i);
    streams.addGivenTurn(ids, isLast || trainOn === "all_turns");
    const text = tokenizer.decode(ids);
    records.push(recordOf({ ids, text, parsed }, answers, streams.index));
    if (!isLast) await streams.continue(ids, () => parsed, answers.map(followUpOf));
  }
  return { streams: streams.all, record: exampleRecord(first.messages, tools, records) };
}

function givenTurns(messages: readonly InitialMessage[], keepsThinking: boolean) {
  const turns: { message: AssistantMessage; answers: InitialMessage[] }[] = [];
  for (const message of messages) {
    if (message.role === "assistant") {
      const kept = keepsThinking ? message : { ...message, reasoning: null };
      turns.push({ message: kept, answers: [] });
    } else turns.at(-1)?.answers.push(message);
  }
  return turns satisfies readonly GivenTurn[];
}

function followUpOf(message: InitialMessage): FollowUp {
  if (message.role !== "tool") return { kind: "user", content: message.content };
  const { name, callId, content } = message;
  return { kind: "tool_result", name, callId, content };
}

/** What a run would not read as this turn must not be taught. */
function requireRead(
  { renderer }: Chat,
  { calls, content, errors }: ParsedTurn,
  message: AssistantMessage,
  turn: number,
): void {
  const callsOf = (own: readonly Pick<AssistantMessage["calls"][number], "name" | "args">[]) =>
    own.map(({ name, args }) => `${name} ${writeExactJson(sortKeys(args))}`).join("\n");
  const isRead =
    errors.length === 0 &&
    callsOf(calls) === callsOf(message.calls) &&
    content.trim() === message.content.trim();
  if (isRead) return;
  throw new AppError(
    "example-unwritable",
    `The chat format ${renderer.id} cannot write turn ${turn + 1} of the model so that a run would read the same text and calls. Remove this conversation, or use another model.`,
  );
}

function recordOf(
  written: Parameters<typeof turnRecord>[0],
  answers: readonly InitialMessage[],
  stream: number,
): TurnRecord {
  const results = answers.flatMap((answer) =>
    answer.role === "tool"
      ? [{ name: answer.name, text: answer.content, isError: false, reward: null, finished: false }]
      : [],
  );
  const said = answers.filter(({ role }) => role === "user").map(({ content }) => content);
  return turnRecord(written, {
    stopReason: "stop",
    isTruncated: false,
    results,
    nudge: said.length === 0 ? null : said.join("\n"),
    startedAtMs: 0,
    durationMs: 0,
    samplingMs: 0,
    stream,
  });
}

function exampleRecord(
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

/** A demonstration of a file earned nothing. */
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
