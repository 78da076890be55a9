/** What the model does at each step, and what it says more or less often: by the page, the extension and its thread. */

import type { SearchHit, SearchSnippet } from "./search.ts";

/** Both steps included, counted from 0. */
export interface StepRange {
  readonly from: number;
  readonly to: number;
}

export const REWARD_PARTINGS = ["environment", "split", "difficulty"] as const;
export type RewardParting = (typeof REWARD_PARTINGS)[number];

/** The reward of a part of the tasks of a step. */
export interface RewardPart {
  readonly by: RewardParting;
  /** An environment; an environment and its split; `hard`, `middle` or `easy` for the model as it is. */
  readonly name: string;
  readonly mean: number;
  /** The lower end of the 95% confidence interval of the mean; null with fewer than two tasks. */
  readonly low: number | null;
  readonly high: number | null;
  /** With a reward. */
  readonly rollouts: number;
}

/** The behavior in one step. Means are over rollouts with at least one turn, shares are from 0 to 1; null if nothing was measured. */
export interface BehaviorRow {
  readonly step: number;
  readonly rollouts: number;
  /** Rollouts whose texts were read: the tools, texts, malformed calls and refusals below are of these. */
  readonly read: number;
  readonly tokens: number | null;
  readonly turns: number | null;
  readonly calls: number | null;
  /** Counted among the calls that ran. */
  readonly failedCalls: number | null;
  readonly malformedCalls: number | null;
  /** Characters. */
  readonly thinking: number | null;
  readonly answer: number | null;
  /** Characters of the arguments of a call. */
  readonly argument: number | null;
  readonly refusals: number | null;
  readonly parts: readonly RewardPart[];
  /** Share of the rollouts by stop reason. */
  readonly stops: Readonly<Record<string, number>>;
  /** Share of the rollouts that called a tool, by its name. */
  readonly tools: Readonly<Record<string, number>>;
}

export interface BehaviorReport {
  /** New since the last report, ascending. */
  readonly rows: readonly BehaviorRow[];
  /** Steps that have rollouts; of many only some are read, evenly spread. */
  readonly steps: number;
  readonly progress: number;
  readonly isComplete: boolean;
}

/** Matches whatever stands between two words of a phrase, escaped line ends included. */
export const BETWEEN_WORDS = "(?:\\\\[nrt]|[^\\p{L}\\p{N}_])+";

/** A place at which a phrase stands, to be opened as a hit of a search. */
export interface PhraseExample
  extends Pick<SearchHit, "source" | "step" | "group" | "rollout" | "reward"> {
  readonly snippet: SearchSnippet;
}

export interface ChangedPhrase {
  /** Words in lower case with single spaces between. */
  readonly words: string;
  /** Rollouts that have it. */
  readonly before: number;
  readonly after: number;
  readonly examples: readonly PhraseExample[];
}

/** Rollouts of one group that end alike. */
export interface AlikeEndings {
  readonly step: number;
  readonly group: number;
  /** Positions in the group, ascending. */
  readonly rollouts: readonly number[];
  readonly size: number;
  readonly taskKey: string;
  readonly rewardMean: number | null;
  /** The end of the first one. */
  readonly text: string;
}

export interface ChangesReport {
  /** Rollouts that were read of each range. */
  readonly before: number;
  readonly after: number;
  /** Those that became more frequent first, by descending score; then the others by ascending score. */
  readonly more: readonly ChangedPhrase[];
  readonly less: readonly ChangedPhrase[];
  /** From the last step of the later range, the largest first. */
  readonly endings: readonly AlikeEndings[];
  readonly progress: number;
  readonly isComplete: boolean;
}
