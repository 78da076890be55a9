/** Weights of tokens in the loss. Services only sum, so weights go into the advantages: `docs/protocols/tinker.md#losses`. */

import { groupBy } from "../../../shared/groupBy.ts";
import type { Config } from "../../config/fields/schema.ts";
import type { TrainingDatum } from "./datums.ts";

/** A rollout that is trained on, even if its advantage of 0 leaves nothing to send. */
export interface CountedRollout {
  readonly group: number;
  readonly rollout: number;
  /** Tokens sampled by the model that may be trained. */
  readonly tokens: number;
}

export type RolloutNumbers = Pick<CountedRollout, "group" | "rollout">;

/**
 * The factor for the advantages of each datum of one optimizer update. All rollouts of the update count in the denominators, including
 * those that send nothing; otherwise the remaining ones would weigh more. All datums of a rollout share one factor, so that a break in
 * its token stream changes no weights.
 */
export function lossFactors(
  data: readonly TrainingDatum[],
  counted: readonly CountedRollout[],
  {
    loss_normalization: normalization,
    max_response_tokens: maxTokens,
  }: Pick<Config, "loss_normalization" | "max_response_tokens">,
): readonly number[] {
  const rollouts = tokensBy(counted, rolloutKey);
  const groups = tokensBy(counted, ({ group }) => group);
  switch (normalization) {
    case "token_sum":
      return data.map(() => 1);
    case "token_mean":
      return data.map(() => 1 / countTokens(counted));
    case "sequence_mean":
      return data.map((datum) => 1 / ((rollouts.get(rolloutKey(datum)) ?? 1) * rollouts.size));
    case "constant":
      return data.map(() => 1 / (rollouts.size * maxTokens));
    case "group_mean":
      return data.map(({ group }) => 1 / ((groups.get(group) ?? 1) * groups.size));
  }
}

export function rolloutKey({ group, rollout }: RolloutNumbers): string {
  return `${group}:${rollout}`;
}

function tokensBy<Key>(
  counted: readonly CountedRollout[],
  keyOf: (rollout: CountedRollout) => Key,
): ReadonlyMap<Key, number> {
  return new Map([...groupBy(counted, keyOf)].map(([key, own]) => [key, countTokens(own)]));
}

function countTokens(counted: readonly CountedRollout[]): number {
  return counted.reduce((sum, { tokens }) => sum + tokens, 0);
}
