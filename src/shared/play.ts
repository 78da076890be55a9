/** What is said about a task that a person plays: by its page to the extension, and by the extension to its server. */

import type { LaunchError, LaunchRequest } from "./control.ts";

export interface PlayStart {
  readonly launch: LaunchRequest;
  readonly environment: string;
  readonly split: string;
  /** Counted in the split, from 0. */
  readonly task: number;
}

export interface PlayTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; null = no arguments. */
  readonly schema: Readonly<Record<string, unknown>> | null;
}

/** What a call brought, as a player sees it. */
export interface CallResult {
  /** Of the tool. */
  readonly name: string;
  readonly text: string;
  /** As `data:` addresses. */
  readonly images: readonly string[];
  /** Null = not scored. */
  readonly reward: number | null;
  readonly isError: boolean;
}

export interface PlayTurn {
  /** What the model would read since its last turn, control tokens as their text. */
  readonly read: string;
  /** What the player did; null while it is awaited. */
  readonly move: string | null;
  readonly results: readonly CallResult[];
}

export interface PlayEnd {
  /** Null when the environment gave none. */
  readonly reward: number | null;
  readonly stop: string;
  readonly error: string | null;
  /** Where the play is stored; null for nowhere. */
  readonly folder: string | null;
}

/** All there is to show. */
export interface PlayView {
  readonly tools: readonly PlayTool[];
  readonly turns: readonly PlayTurn[];
  /** Why the last move could not be made, as a sentence. */
  readonly problem: string | null;
  /** True when it is the player's turn. */
  readonly isAwaited: boolean;
  /** Null until it is over. */
  readonly end: PlayEnd | null;
}

export type PlayReply =
  /** A part of the beginning, as a sentence. */
  | { readonly kind: "part"; readonly what: string }
  | { readonly kind: "view"; readonly view: PlayView }
  | { readonly kind: "failed"; readonly error: LaunchError };

export type PageMove =
  /** Arguments as JSON. */
  | { readonly kind: "call"; readonly name: string; readonly args: string }
  | { readonly kind: "text"; readonly text: string };

export type PlayPageMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "move"; readonly move: PageMove }
  /** Plays the task once more. */
  | { readonly kind: "again" }
  /** Shows the stored play in the reader. */
  | { readonly kind: "read" };
