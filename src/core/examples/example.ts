/** A demonstration: a conversation whose model turns are imitated. */

import type { InitialMessage, ToolDeclaration } from "../chat/renderer.ts";
import type { Ledger } from "../rollout/ledger.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";

/** A line of a file, before it is written in a model's format. */
export interface ChatExample {
  /** At least one message from the model, and one before it. */
  readonly messages: readonly InitialMessage[];
  readonly tools: readonly ToolDeclaration[];
  readonly split: ExampleSplit;
  /** Task of an exported rollout. */
  readonly task: string | null;
}

export const EXAMPLE_SPLITS = ["train", "held_out", "test"] as const;
export type ExampleSplit = (typeof EXAMPLE_SPLITS)[number];

/** Stored data of an example, independent of where it is used. */
export type ExampleRecord = Omit<
  RolloutRecord,
  "step" | "group" | "rollout" | "taskKey" | "environment" | "split" | "index" | "attempt"
>;

/** An example as tokens of the model. */
export interface Example {
  /** Name of its source. */
  readonly source: string;
  /** From 0, within its source. */
  readonly index: number;
  /** Examples of the same task are in the same split. */
  readonly task: string;
  readonly split: Exclude<ExampleSplit, "test">;
  /** Trained turns have mask 1. There are no log-probabilities. */
  readonly streams: readonly Ledger[];
  readonly record: ExampleRecord;
}

/** Number of trained tokens. */
export function trainedTokens({ streams }: Pick<Example, "streams">): number {
  return streams.reduce((sum, ledger) => sum + ledger.trainedTokens, 0);
}
