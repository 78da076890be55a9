/** Messages about a conversation with models: from its page to the extension, and from the extension to the server. */

import type { LaunchError } from "./control.ts";

export interface ChatSettings {
  /** Null = as configured. */
  readonly temperature: number | null;
  /** Maximum tokens per turn; null = as configured. */
  readonly maxTokens: number | null;
  readonly seed: number;
  /** Number of turns to sample side by side. */
  readonly samples: number;
  readonly answersBy: "environment" | "person";
}

/** A user action in a conversation. */
export type ChatAction =
  | { readonly action: "say" | "answer"; readonly text: string }
  | { readonly action: "proceed" | "again" | "undo" }
  /** Takes effect immediately. */
  | { readonly action: "stop" }
  /** Picks one of the turns sampled side by side, from 0. */
  | { readonly action: "choose"; readonly index: number }
  | { readonly action: "change"; readonly settings: Partial<ChatSettings> };

export interface ChatTurnView {
  readonly thinking: string | null;
  readonly text: string;
  /** Arguments as JSON text. */
  readonly calls: readonly { readonly name: string; readonly args: string }[];
  readonly errors: readonly { readonly message: string; readonly raw: string }[];
  /** Raw text with control tokens. */
  readonly raw: string;
  readonly tokens: number;
  /** True when it hit the token limit. */
  readonly isCut: boolean;
}

export type ChatEntry =
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "turn"; readonly turn: ChatTurnView }
  | {
      readonly kind: "answers";
      readonly by: "environment" | "person";
      readonly answers: readonly {
        readonly name: string;
        readonly text: string;
        readonly isError: boolean;
        readonly reward: number | null;
        readonly finished: boolean;
      }[];
    };

export interface ChatPartnerView {
  /** Display name. */
  readonly label: string;
  readonly next: "message" | "turn" | "choice" | "answers" | "nothing";
  /** What the model read before everything else; empty if the conversation starts with a message. */
  readonly opening: string;
  readonly entries: readonly ChatEntry[];
  /** Sampled turns to choose from. */
  readonly candidates: readonly ChatTurnView[];
  /** Tokens read and written so far. */
  readonly tokens: number;
  /** Total tokens of all requests, and their cost in USD if prices are known. */
  readonly used: { readonly tokens: number; readonly costUsd: number | null };
  /** The reward of the whole episode; null until it is over. */
  readonly reward: number | null;
}

/** The complete state to show. Always sent whole, so there is only one way to draw it. */
export interface ChatView {
  readonly task: string | null;
  readonly notes: readonly string[];
  readonly settings: ChatSettings;
  /** The configured values, for settings that are null. */
  readonly configured: { readonly temperature: number; readonly maxTokens: number | null };
  /** Progress of sampling; null = not sampling. */
  readonly sampling: { readonly done: number; readonly total: number } | null;
  /** The tool whose result the user is asked to write; null = none. */
  readonly askedCall: string | null;
  readonly partners: readonly ChatPartnerView[];
}

/** What there is to show. */
export type ChatReply =
  /** Progress while starting, as a sentence. */
  | { readonly kind: "part"; readonly what: string }
  | { readonly kind: "view"; readonly view: ChatView }
  /** The conversation continues unless `isOver`. */
  | { readonly kind: "failed"; readonly error: LaunchError; readonly isOver: boolean };

/** Messages from the conversation page, validated by the extension. The page receives replies. */
export type ChatPageMessage =
  /** The page has loaded and needs the full state. */
  | { readonly kind: "ready" }
  | { readonly kind: "act"; readonly action: ChatAction }
  | { readonly kind: "begin"; readonly what: ChatBeginning };

/** Starts over: with the same task, with another task or none, or with other models side by side. */
export type ChatBeginning = "again" | "other" | "beside";
