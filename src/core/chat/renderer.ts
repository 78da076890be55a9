/** Turns conversations into token ids and back. Each chat format has one implementation, chosen by model family. */

import type { ExactJsonObject } from "../util/exactJson.ts";
import type { Content } from "./content.ts";

/** External text (task prompt, tool output, tool specification) is untrusted: it never yields an added token. */
export interface PlainMessage extends Content {
  readonly role: "system" | "user";
  /** Ascending ranges `[start, end)` of `content` that come from the config, where control tokens are intended. */
  readonly trusted?: readonly (readonly [start: number, end: number])[];
}

/** A model turn, from the environment's opening conversation or from one that is rendered again. */
export interface AssistantMessage extends Content {
  readonly role: "assistant";
  readonly reasoning: string | null;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly args: ExactJsonObject;
  }[];
  /** False for a turn of an example that is only context; absent = true. */
  readonly isTrained?: false;
}

export interface ToolMessage extends Content {
  readonly role: "tool";
  readonly name: string;
  readonly callId: string;
}

/** A message of a conversation that is rendered as a whole. */
export type InitialMessage = PlainMessage | AssistantMessage | ToolMessage;

/** OpenAI-style function declaration, keys in the order received. */
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
  /** As the model wrote it; absent in formats whose calls have no id. */
  readonly id?: string;
  readonly name: string;
  readonly args: ExactJsonObject;
  /** The call as the model wrote it. */
  readonly raw: string;
}

export interface ToolCallError {
  /** The call's id as the model wrote it; absent if it could not be read. */
  readonly id?: string;
  /** Number of complete calls before it in the turn; absent = all. */
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
  /** Tokens inside the reasoning, excluding its markers. */
  readonly thinkingTokens: number;
  /** Visible text outside thinking and calls, trimmed. */
  readonly content: string;
  /** Length in characters of the part of `content` before the first call; all of it if there is no call. */
  readonly lead: number;
  /** Complete calls outside thinking, in order. */
  readonly calls: readonly ToolCall[];
  readonly errors: readonly ToolCallError[];
  readonly unclosedThink: boolean;
  /** The last complete call within the reasoning, which did not run; set only if there is no call or error outside. */
  readonly thoughtCall?: string | undefined;
  /** True if the turn ended with its end token. */
  readonly ended: boolean;
}

/** Ids from the end of a sampled turn to the opening of the next. `closing` ends the turn if sampling did not. */
export interface Bridge {
  readonly closing: readonly number[];
  readonly delta: readonly number[];
}

export interface Renderer {
  /** Stable name, stored with the run. */
  readonly id: string;
  /** Token stops to send to the sampler; empty for formats that stop on text. */
  readonly stopIds: readonly number[];
  /** Text stops; empty for formats where tokens end a turn. */
  readonly stopTexts: readonly string[];
  /** False if the model cannot call tools; absent = it can. */
  readonly callsTools?: boolean;
  /**
   * Ids of a whole conversation up to the model's next turn: for the first prompt, and for contexts that appending cannot
   * produce. @throws AppError `chat-render`
   */
  renderInitial(
    messages: readonly InitialMessage[],
    tools: readonly ToolDeclaration[],
  ): readonly number[];
  /**
   * The bridge after a turn whose sampled ids are `turn`; nothing already in the stream is rendered again. @throws AppError
   * `chat-bridge` if this format cannot continue by appending
   */
  bridge(turn: readonly number[], followUps: readonly FollowUp[]): Bridge;
  /**
   * Ids of a given turn, as the model would have sampled it after the opening: reasoning, text, calls and end token. Text in it
   * never becomes an added token. @throws AppError `chat-render`
   */
  writeTurn(message: AssistantMessage): readonly number[];
  /** Parses one turn from its sampled ids; `tools` are those of the prompt. Never throws on model output. */
  parse(turn: readonly number[], tools?: readonly ToolDeclaration[]): ParsedTurn;
}
