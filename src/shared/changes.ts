/** What the model does at each step, and which phrases become more or less frequent; shared by the page, the extension and its worker. */

import type { MeanInterval } from "./interval.ts";
import type { SearchHit, SearchSnippet } from "./search.ts";

/** Both ends inclusive, counted from 0. */
export interface StepRange {
  readonly from: number;
  readonly to: number;
}

export const REWARD_GROUPINGS = ["environment", "split", "difficulty"] as const;
export type RewardGrouping = (typeof REWARD_GROUPINGS)[number];

/** The mean reward of a subset of a step's tasks. */
export interface RewardPart extends MeanInterval {
  readonly by: RewardGrouping;
  /** An environment; an environment and its split; or `hard`, `middle` or `easy` relative to the current model. */
  readonly name: string;
  /** Rollouts with a reward. */
  readonly rollouts: number;
}

/** Behavior in one step. Means are over rollouts with at least one turn; shares are from 0 to 1; null = not measured. */
export interface BehaviorRow {
  readonly step: number;
  readonly rollouts: number;
  /** Rollouts whose texts were read; tools, text lengths, malformed calls and refusals are measured on these only. */
  readonly read: number;
  readonly tokens: number | null;
  readonly turns: number | null;
  readonly calls: number | null;
  /** Share of the executed calls. */
  readonly failedCalls: number | null;
  readonly malformedCalls: number | null;
  /** Mean number of characters. */
  readonly thinking: number | null;
  readonly answer: number | null;
  /** Mean number of characters in a call's arguments. */
  readonly argument: number | null;
  readonly refusals: number | null;
  readonly parts: readonly RewardPart[];
  /** Share of the rollouts by stop reason. */
  readonly stops: Readonly<Record<string, number>>;
  /** Share of rollouts that called each tool, by tool name. */
  readonly tools: Readonly<Record<string, number>>;
}

export interface BehaviorReport {
  /** Rows added since the last report, ascending. */
  readonly rows: readonly BehaviorRow[];
  /** Number of steps with rollouts. In a long run only an evenly spaced sample of them is read. */
  readonly steps: number;
  readonly progress: number;
  readonly isComplete: boolean;
}

/** Matches anything between two words of a phrase, including escaped newlines. */
export const BETWEEN_WORDS = "(?:\\\\[nrt]|[^\\p{L}\\p{N}_])+";

/** One occurrence of a phrase; opens like a search hit. */
export interface PhraseExample
  extends Pick<SearchHit, "source" | "step" | "group" | "rollout" | "reward"> {
  readonly snippet: SearchSnippet;
}

export interface ChangedPhrase {
  /** Lowercase words separated by single spaces. */
  readonly words: string;
  /** Number of rollouts that contain the phrase, before and after. */
  readonly before: number;
  readonly after: number;
  readonly examples: readonly PhraseExample[];
}

/** Rollouts of one group that end with similar text. */
export interface AlikeEndings {
  readonly step: number;
  readonly group: number;
  /** Positions in the group, ascending. */
  readonly rollouts: readonly number[];
  readonly size: number;
  readonly taskKey: string;
  readonly rewardMean: number | null;
  /** The end of the first rollout. */
  readonly text: string;
}

export interface ChangesReport {
  /** Number of rollouts read from each range. */
  readonly before: number;
  readonly after: number;
  /** Phrases that became more frequent by descending score (`more`), and less frequent by ascending score (`less`). */
  readonly more: readonly ChangedPhrase[];
  readonly less: readonly ChangedPhrase[];
  /** From the last step of the later range, the largest first. */
  readonly endings: readonly AlikeEndings[];
  readonly progress: number;
  readonly isComplete: boolean;
}
