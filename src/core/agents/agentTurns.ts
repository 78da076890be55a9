/** The turns of a rollout that an agent plays, with the results of their calls. */

import type { Chat } from "../chat/chat.ts";
import { shownContent } from "../chat/content.ts";
import type { InitialMessage, ToolCall } from "../chat/renderer.ts";
import { withDeclaredCalls } from "../endpoint/answeredTurn.ts";
import type { EndpointRequest } from "../endpoint/endpointRequest.ts";
import type { ContinuedTurn, FinishedTurn } from "../endpoint/policyThreads.ts";
import { promptText } from "../rollout/conversation.ts";
import {
  lastTurnReader,
  type ToolResultRecord,
  type TurnRecord,
  turnFacts,
  turnRecord,
  type WrittenTurn,
} from "../rollout/episodeRecord.ts";
import type { Ledger } from "../rollout/ledger.ts";
import type { TurnFacts } from "../runFolder/metrics/stepFacts.ts";
import { plainJson, sortKeys, writeExactJson } from "../util/exactJson.ts";

/** When a turn was sampled and for how long, in milliseconds. */
export interface TurnTimes {
  readonly startedAtMs: number;
  readonly samplingMs: number;
}

/** The JSON text of each argument by its name, to match calls of the model with those that the agent makes. */
type Arguments = ReadonlyMap<string, string>;

interface AgentTurn extends TurnTimes {
  readonly read: () => WrittenTurn;
  readonly stopReason: string;
  readonly isTruncated: boolean;
  readonly stream: number;
  /** The prompt of a new conversation; undefined when it continues, and for the first conversation. */
  readonly asked: string | undefined;
  readonly calls: readonly { readonly name: string; readonly args: Arguments }[];
  /** The session's results, by call index. */
  readonly ran: Map<number, ToolResultRecord>;
  /** Calls by the agent that the turn did not ask for. */
  readonly others: ToolResultRecord[];
  /** What the agent gave the model as results, by call index. */
  heard: readonly string[];
  /** What else the agent said to the model; null for nothing. */
  said: string | null;
  durationMs: number;
}

export class AgentTurns {
  readonly facts: TurnFacts[] = [];
  readonly #chat: Chat;
  readonly #turns: AgentTurn[] = [];
  /** Streams in the order of their first turns. */
  readonly #streams: Ledger[] = [];

  constructor(chat: Chat) {
    this.#chat = chat;
  }

  get count(): number {
    return this.#turns.length;
  }

  get sampledTokens(): number {
    return this.facts.reduce((sum, { sampledTokens }) => sum + sampledTokens, 0);
  }

  /** Computed on each access. */
  get records(): readonly TurnRecord[] {
    return this.#turns.map(recordOf);
  }

  /** Rewards by turn if `reward` is the only one, given after the last turn. */
  rewardsAtEnd(reward: number): readonly number[] {
    return this.#turns.map((_, turn) => (turn === this.count - 1 ? reward : 0));
  }

  /** The model's latest turn. */
  get last(): WrittenTurn | null {
    return this.#turns.at(-1)?.read() ?? null;
  }

  /** Adds a turn and returns whether it was cut off. */
  add(
    { isFirst, ledger, sampled }: Pick<FinishedTurn, "isFirst" | "ledger" | "sampled">,
    { messages, tools }: Pick<EndpointRequest, "messages" | "tools">,
    times: TurnTimes,
  ): boolean {
    if (!this.#streams.includes(ledger)) this.#streams.push(ledger);
    const readWhole = lastTurnReader(this.#chat, ledger, tools);
    // As the agent received it, because its results follow the order of those calls.
    const read = (): WrittenTurn => {
      const turn = readWhole();
      return { ...turn, parsed: withDeclaredCalls(turn.parsed, tools) };
    };
    const { parsed } = read();
    const isTruncated = sampled.stopReason === "length" && !parsed.ended;
    this.facts.push(turnFacts(sampled, parsed, isTruncated));
    this.#turns.push({
      ...times,
      read,
      stopReason: sampled.stopReason,
      isTruncated,
      stream: this.#streams.indexOf(ledger),
      asked: isFirst && this.count > 0 ? promptText(messages) : undefined,
      calls: parsed.calls.map(({ name, args }) => ({ name, args: argumentsOf(args) })),
      ran: new Map(),
      others: [],
      heard: [],
      said: null,
      durationMs: times.samplingMs,
    });
    return isTruncated;
  }

  /** Records that the agent continued from a turn at `nowMs`. */
  continued({ turn: number, news }: ContinuedTurn, nowMs: number): void {
    const turn = this.#turns[number];
    if (turn === undefined) return;
    turn.heard = textsOf(news, "tool");
    const said = textsOf(news, "user");
    turn.said = said.length === 0 ? null : said.join("\n");
    turn.durationMs = nowMs - turn.startedAtMs;
  }

  /** Records the session's result for the last message. */
  answered(result: ToolResultRecord): void {
    this.#turns.at(-1)?.others.push(result);
  }

  /**
   * Assigns a call's result to the newest turn that asked for it, or to the newest turn as a call of the agent's own. The agent's call may
   * have more arguments than the model's, because frameworks fill in defaults; of several such calls, the one with most arguments counts.
   */
  ran({ name, args }: Pick<ToolCall, "name" | "args">, result: ToolResultRecord): void {
    const own = argumentsOf(args);
    const [made] = this.#turns
      .toReversed()
      .flatMap(({ calls, ran }) =>
        calls.flatMap((call, i) => (call.name === name && !ran.has(i) ? [{ call, i, ran }] : [])),
      )
      .filter(({ call }) => [...call.args].every(([key, value]) => own.get(key) === value))
      .sort((one, other) => other.call.args.size - one.call.args.size);
    if (made === undefined) this.answered({ ...result, agentArgs: writeExactJson(args) });
    else made.ran.set(made.i, result);
  }
}

function argumentsOf(args: ToolCall["args"]): Arguments {
  const entries = Object.entries(args);
  return new Map(entries.map(([key, value]) => [key, writeExactJson(sortKeys(plainJson(value)))]));
}

function textsOf(news: readonly InitialMessage[], role: InitialMessage["role"]): readonly string[] {
  return news.flatMap((message) => (message.role === role ? [shownContent(message)] : []));
}

function recordOf(turn: AgentTurn): TurnRecord {
  const { read, stopReason, isTruncated, startedAtMs, durationMs, samplingMs, stream } = turn;
  const { asked, said } = turn;
  return turnRecord(read(), {
    stopReason,
    isTruncated,
    startedAtMs,
    durationMs,
    samplingMs,
    stream,
    results: resultsOf(turn),
    nudge: said,
    asked,
  });
}

/** Results in call order: what the model read, with the session's details. */
function resultsOf({ calls, ran, heard, others }: AgentTurn): readonly ToolResultRecord[] {
  const length = Math.max(heard.length, ...[...ran.keys()].map((i) => i + 1));
  const ofCalls = calls.slice(0, length).map(({ name }, i): ToolResultRecord => {
    const own = ran.get(i) ?? { name, text: "", isError: false, reward: null, finished: false };
    return { ...own, text: heard[i] ?? own.text };
  });
  return [...ofCalls, ...others];
}
