/** Messages about a task played by a person: from its page to the extension, and from the extension to the server. */

import type { LaunchError } from "./control.ts";

export interface PlayTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; null = no arguments. */
  readonly schema: Readonly<Record<string, unknown>> | null;
}

/** The result of a tool call, as the player sees it. */
export interface CallResult {
  /** Tool name. */
  readonly name: string;
  readonly text: string;
  /** As `data:` URLs. */
  readonly images: readonly string[];
  /** Null = not scored. */
  readonly reward: number | null;
  readonly isError: boolean;
}

export interface PlayTurn {
  /** What the model would have read since its last turn, with control tokens as text. */
  readonly read: string;
  /** What the player did; null while waiting for a move. */
  readonly move: string | null;
  readonly results: readonly CallResult[];
}

export interface PlayEnd {
  /** Null when the environment gave none. */
  readonly reward: number | null;
  readonly stop: string;
  readonly error: string | null;
  /** Where the play is stored; null if it is not. */
  readonly folder: string | null;
}

/** The complete state to show. */
export interface PlayView {
  readonly tools: readonly PlayTool[];
  readonly turns: readonly PlayTurn[];
  /** Why the last move was rejected, as a sentence. */
  readonly problem: string | null;
  /** True when it is the player's turn. */
  readonly isAwaited: boolean;
  /** Null until it is over. */
  readonly end: PlayEnd | null;
}

export type PlayReply =
  /** Progress while starting, as a sentence. */
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
  /** Plays the same task again. */
  | { readonly kind: "again" }
  /** Opens the stored play in the rollout reader. */
  | { readonly kind: "read" };
