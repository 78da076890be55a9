/** A demonstration: a conversation whose turns of the model are imitated. */

import type { InitialMessage, ToolDeclaration } from "../chat/renderer.ts";
import type { Ledger } from "../rollout/ledger.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";

/** A line of a file, before a model's format writes it. */
export interface ChatExample {
  /** At least one of the model, and one before it. */
  readonly messages: readonly InitialMessage[];
  readonly tools: readonly ToolDeclaration[];
  readonly split: ExampleSplit;
  /** The task of a rollout that was exported. */
  readonly task: string | null;
}

export const EXAMPLE_SPLITS = ["train", "held_out", "test"] as const;
export type ExampleSplit = (typeof EXAMPLE_SPLITS)[number];

/** What is stored of an example wherever it is used. */
export type ExampleRecord = Omit<
  RolloutRecord,
  "step" | "group" | "rollout" | "taskKey" | "environment" | "split" | "index" | "attempt"
>;

/** An example in the tokens of the model. */
export interface Example {
  /** Name of its source. */
  readonly source: string;
  /** From 0, in its source. */
  readonly index: number;
  /** Examples of one task are on one side of the split. */
  readonly task: string;
  readonly split: Exclude<ExampleSplit, "test">;
  /** A turn that is trained has mask 1; there are no log-probabilities. */
  readonly streams: readonly Ledger[];
  readonly record: ExampleRecord;
}

/** Tokens that are trained. */
export function trainedTokens({ streams }: Pick<Example, "streams">): number {
  return streams.reduce((sum, ledger) => sum + ledger.trainedTokens, 0);
}
