/** What is said about a conversation with models: by its page to the extension, and by the extension to its server. */

import type { LaunchError, LaunchRequest } from "./control.ts";
import type { RolloutSource } from "./rolloutSet.ts";

/** A turn of a stored rollout. All count from 1, as on the screen. */
export interface TurnPlace {
  readonly source: RolloutSource;
  /** Counted from 0; in an evaluation, the number of completed steps. */
  readonly step: number;
  /** Null counts the rollouts of an evaluation in the order in which they ended, as `show --eval` does. */
  readonly group: number | null;
  readonly rollout: number;
  readonly turn: number;
}

/** What a conversation begins with. */
export interface ChatStart {
  /** The launch of the run whose folder is the first target: `training.resume` names it. */
  readonly launch: LaunchRequest;
  /** Run folders, checkpoints or models beside each other; at least one. */
  readonly targets: readonly string[];
  /** What an environment plays; null = nothing. Null in it = the first of the configuration. */
  readonly task: {
    readonly environment: string | null;
    readonly split: string | null;
    /** From 0. */
    readonly index: number;
  } | null;
  /** Continues from a turn of a rollout of the first target, which is a run; null = begins again. */
  readonly turn: TurnPlace | null;
  /** True to play the turns before `turn` again in a fresh session of the environment, which then answers calls. */
  readonly isReplayed: boolean;
  /** Instead of the configuration's system text; null = that one. */
  readonly system: string | null;
  /** Null = as configured, with a seed by chance. */
  readonly settings: ChatSettings | null;
}

export interface ChatSettings {
  /** Null = that of the configuration. */
  readonly temperature: number | null;
  /** Most tokens of a turn; null = that of the configuration. */
  readonly maxTokens: number | null;
  readonly seed: number;
  /** Turns that are sampled side by side. */
  readonly samples: number;
  readonly answersBy: "environment" | "person";
}

/** What a person does in a conversation. */
export type ChatAction =
  | { readonly action: "say" | "answer"; readonly text: string }
  | { readonly action: "proceed" | "again" | "undo" }
  /** Carried out at once. */
  | { readonly action: "stop" }
  /** One of the turns that were sampled side by side, from 0. */
  | { readonly action: "choose"; readonly index: number }
  | { readonly action: "change"; readonly settings: Partial<ChatSettings> };

export interface ChatTurnView {
  readonly thinking: string | null;
  readonly text: string;
  /** Arguments as JSON text. */
  readonly calls: readonly { readonly name: string; readonly args: string }[];
  readonly errors: readonly { readonly message: string; readonly raw: string }[];
  /** With control tokens. */
  readonly raw: string;
  readonly tokens: number;
  /** True when it ended at the limit of tokens. */
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
  /** As people know it. */
  readonly label: string;
  readonly next: "message" | "turn" | "choice" | "answers" | "nothing";
  /** What the model read before everything else; empty where a message begins the conversation. */
  readonly opening: string;
  readonly entries: readonly ChatEntry[];
  /** Turns that wait for a choice. */
  readonly candidates: readonly ChatTurnView[];
  /** Tokens that it has read and written. */
  readonly tokens: number;
  /** The tokens of all its requests, and their cost in USD if prices are known. */
  readonly used: { readonly tokens: number; readonly costUsd: number | null };
  /** The reward of the whole episode, known once it is over. */
  readonly reward: number | null;
}

/** All there is to show; sent whole, so that there is one way to draw it. */
export interface ChatView {
  readonly task: string | null;
  readonly notes: readonly string[];
  readonly settings: ChatSettings;
  /** What the configuration says, where `settings` says null. */
  readonly configured: { readonly temperature: number; readonly maxTokens: number | null };
  /** Samples that are in progress; null = none. */
  readonly sampling: { readonly done: number; readonly total: number } | null;
  /** The tool whose answer the person is asked for; null = none. */
  readonly askedCall: string | null;
  readonly partners: readonly ChatPartnerView[];
}

/** What there is to show. */
export type ChatReply =
  /** A part of the beginning, as a sentence. */
  | { readonly kind: "part"; readonly what: string }
  | { readonly kind: "view"; readonly view: ChatView }
  /** The conversation continues unless `isOver`. */
  | { readonly kind: "failed"; readonly error: LaunchError; readonly isOver: boolean };

/** What the page of a conversation asks the extension for; the extension checks it. What the page gets are replies. */
export type ChatPageMessage =
  /** The page has loaded, and needs everything that there is to show. */
  | { readonly kind: "ready" }
  | { readonly kind: "act"; readonly action: ChatAction }
  | { readonly kind: "begin"; readonly what: ChatBeginning };

/** Begins again: as before, with another task or none, or with other models beside. */
export type ChatBeginning = "again" | "other" | "beside";
