/** Full-text search in rollouts: queries and results, shared by the page, the extension, its worker and the program. */

import type { RolloutKey } from "./rolloutSet.ts";

/**
 * Where a text comes from: the prompt, the model's reasoning, answer or tool calls, tool results and agent output, or the rollout's error.
 */
export const SEARCH_ROLES = ["prompt", "thinking", "answer", "call", "result", "error"] as const;
export type SearchRole = (typeof SEARCH_ROLES)[number];

/** Longer than any expression a person would write. */
export const MAX_SEARCH_LENGTH = 2_000;

export interface SearchQuery {
  /** Words and "quoted phrases" that must all occur in a rollout; or a regular expression. */
  readonly text: string;
  readonly isRegex: boolean;
  /** Absent = ignore case. */
  readonly isCaseSensitive?: boolean;
  /** Empty = all. */
  readonly roles: readonly SearchRole[];
}

/** One match, with the surrounding text. */
export interface SearchSnippet {
  readonly role: SearchRole;
  /** From 0; null = before the first turn, or after the last. */
  readonly turn: number | null;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** A rollout with matches. */
export interface SearchHit extends RolloutKey {
  /** Index among all rollouts of an evaluation, in the order in which they ended, from 0; absent in training. */
  readonly position?: number;
  /** Model name in a standalone evaluation; absent for the run's own weights. */
  readonly model?: string | undefined;
  readonly taskKey: string;
  readonly reward: number | null;
  readonly stop: string;
  /** Number of matches, up to {@link MAX_COUNTED}. */
  readonly matches: number;
  readonly snippets: readonly SearchSnippet[];
}

export const MAX_COUNTED = 1_000;

/** Results since the last report. */
export interface SearchReport {
  readonly hits: readonly SearchHit[];
  /** Fraction of files processed. */
  readonly progress: number;
  /** True in the last report. */
  readonly isComplete: boolean;
  /** True when the limit on hits was reached and there may be more. */
  readonly isCut: boolean;
}
