/** How a conversation becomes token ids and back; one implementation per way of speaking, chosen by model family. */

import type { ExactJsonObject } from "../util/exactJson.ts";
import type { Content } from "./content.ts";

/** Text that came from outside (task prompt, tool output, tool specification) is `untrusted`: it never yields an added token. */
export interface PlainMessage extends Content {
  readonly role: "system" | "user";
  /** Ranges `[start, end)` of `content` that the config wrote, ascending: control tokens in them are meant. */
  readonly trusted?: readonly (readonly [start: number, end: number])[];
}

/** A turn of the model: in the environment's opening conversation, or in one that is rendered again. */
export interface AssistantMessage extends Content {
  readonly role: "assistant";
  readonly reasoning: string | null;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly args: ExactJsonObject;
  }[];
}

export interface ToolMessage extends Content {
  readonly role: "tool";
  readonly name: string;
  readonly callId: string;
}

/** A message of a conversation that is rendered as a whole. */
export type InitialMessage = PlainMessage | AssistantMessage | ToolMessage;

/** OpenAI-shaped function declaration, keys in the order received. */
export interface ToolDeclaration {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: ExactJsonObject;
  };
}

/** A message to the model after one of its turns. */
export type FollowUp = ToolMessage | (Content & { readonly role: "user" });

export interface ToolCall {
  /** As the model wrote it; absent in formats whose calls have none. */
  readonly id?: string;
  readonly name: string;
  readonly args: ExactJsonObject;
  /** The call as the model wrote it. */
  readonly raw: string;
}

export interface ToolCallError {
  /** The call's id as the model wrote it; absent if there was none to read. */
  readonly id?: string;
  /** Complete calls that stand before it in the turn; absent = all. */
  readonly callsBefore?: number;
  readonly kind:
    | "not_json"
    | "not_object"
    | "not_readable"
    | "missing_name"
    | "bad_arguments"
    | "too_deep"
    | "unclosed_argument"
    | "in_reasoning"
    | "undeclared"
    | "unterminated";
  readonly raw: string;
  /** Sentence for the model; contains no control token. */
  readonly message: string;
}

export interface ParsedTurn {
  readonly reasoning: string | null;
  /** Tokens inside the reasoning, its markers not counted. */
  readonly thinkingTokens: number;
  /** Visible text outside thinking and calls, trimmed. */
  readonly content: string;
  /** How much of `content`, in characters, stands before the first call; all of it without a call. */
  readonly lead: number;
  /** Complete calls outside thinking, in order. */
  readonly calls: readonly ToolCall[];
  readonly errors: readonly ToolCallError[];
  readonly unclosedThink: boolean;
  /** The last complete call within the reasoning, which did not run, where none stands outside; absent = none. */
  readonly thoughtCall?: string | undefined;
  /** True when the turn ended with its end token. */
  readonly ended: boolean;
}

/** Ids that lead from the end of a sampled turn to the opening of the next: `closing` ends the turn if sampling did not. */
export interface Bridge {
  readonly closing: readonly number[];
  readonly delta: readonly number[];
}

export interface Renderer {
  /** Stable name, stored with the run. */
  readonly id: string;
  /** Single-token stops to send to the sampler; empty for a format that stops on texts. */
  readonly stopIds: readonly number[];
  /** Stops that are text; empty where tokens end a turn. */
  readonly stopTexts: readonly string[];
  /** False where a model cannot call tools; absent = it can. */
  readonly callsTools?: boolean;
  /**
   * Ids of a whole conversation up to where the model's next turn begins: of the first prompt, and of a context that cannot be
   * reached by appending. @throws AppError `chat-render`
   */
  renderInitial(
    messages: readonly InitialMessage[],
    tools: readonly ToolDeclaration[],
  ): readonly number[];
  /**
   * The bridge after a turn whose sampled ids are `turn`: nothing already in the stream is
   * rendered again. @throws AppError `chat-bridge` when this format cannot continue by appending.
   */
  bridge(turn: readonly number[], followUps: readonly FollowUp[]): Bridge;
  /**
   * Ids of a turn that was given, as the model would have sampled it behind an opening: its reasoning, its text, its calls and what ends
   * it. No text in it becomes an added token. @throws AppError `chat-render`
   */
  writeTurn(message: AssistantMessage): readonly number[];
  /** Reads one turn from its sampled ids; `tools` are those of the prompt. Never throws on model output. */
  parse(turn: readonly number[], tools?: readonly ToolDeclaration[]): ParsedTurn;
}
