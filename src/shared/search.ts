/** What can be searched for in the texts of rollouts, and what is found: by the page, the extension, its thread and the program. */

import type { RolloutKey } from "./rolloutSet.ts";

/** Who wrote a text: what the model was asked, its reasoning, its answer, its tool calls, what came back or its agent printed, and why a rollout failed. */
export const SEARCH_ROLES = ["prompt", "thinking", "answer", "call", "result", "error"] as const;
export type SearchRole = (typeof SEARCH_ROLES)[number];

export interface SearchQuery {
  /** Words and "quoted phrases", all of which must occur in a rollout; or a regular expression. */
  readonly text: string;
  readonly isRegex: boolean;
  /** Absent = upper and lower case are alike. */
  readonly isCaseSensitive?: boolean;
  /** Empty = all. */
  readonly roles: readonly SearchRole[];
}

/** One place where something was found, with the text around it. */
export interface SearchSnippet {
  readonly role: SearchRole;
  /** From 0; null = before the first turn, or after the last. */
  readonly turn: number | null;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** A rollout in which something was found. */
export interface SearchHit extends RolloutKey {
  /** Of all rollouts of an evaluation, in the order in which they ended, from 0; absent in training. */
  readonly position?: number;
  /** Name of the model, in an evaluation by itself; absent for the weights of the run. */
  readonly model?: string | undefined;
  readonly taskKey: string;
  readonly reward: number | null;
  readonly stop: string;
  /** Places found, counted up to {@link MAX_COUNTED}. */
  readonly matches: number;
  readonly snippets: readonly SearchSnippet[];
}

export const MAX_COUNTED = 1_000;

/** What is new since the last report. */
export interface SearchReport {
  readonly hits: readonly SearchHit[];
  /** The fraction of the files that is dealt with. */
  readonly progress: number;
  /** True in the last report. */
  readonly isComplete: boolean;
  /** True when there may be more hits than were asked for. */
  readonly isCut: boolean;
}
