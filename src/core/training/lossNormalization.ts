/** How much each token counts in the loss. Services add up (Tinker wire, 0.1 item 16), so everything else is in the advantages. */

import type { Config } from "../config/schema.ts";
import { groupBy } from "../util/groupBy.ts";
import type { TrainingDatum } from "./datums.ts";

type Data = readonly TrainingDatum[];

/**
 * What the advantages of each datum of one optimizer update are multiplied by (training-loop rule C.6). All datums of a rollout
 * share one factor, so that a break in its token stream changes no weight.
 */
export function lossFactors(
  data: Data,
  {
    loss_normalization: normalization,
    max_response_tokens: maxTokens,
  }: Pick<Config, "loss_normalization" | "max_response_tokens">,
): readonly number[] {
  const rollouts = groupBy(data, ({ group, rollout }) => `${group}:${rollout}`);
  const groups = groupBy(data, ({ group }) => group);
  switch (normalization) {
    case "token_sum":
      return data.map(() => 1);
    case "token_mean":
      return data.map(() => 1 / trainedTokens(data));
    case "sequence_mean": {
      const tokens = tokensByKey(rollouts);
      return data.map(
        ({ group, rollout }) => 1 / ((tokens.get(`${group}:${rollout}`) ?? 1) * rollouts.size),
      );
    }
    case "constant":
      return data.map(() => 1 / (rollouts.size * maxTokens));
    case "group_mean": {
      const tokens = tokensByKey(groups);
      return data.map(({ group }) => 1 / ((tokens.get(group) ?? 1) * groups.size));
    }
  }
}

function tokensByKey<Key>(parts: ReadonlyMap<Key, Data>): ReadonlyMap<Key, number> {
  return new Map([...parts].map(([key, own]) => [key, trainedTokens(own)]));
}

function trainedTokens(data: Data): number {
  return data.reduce((sum, { mask }) => sum + mask.reduce((count, one) => count + one, 0), 0);
}
