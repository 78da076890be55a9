/** The losses as documented, as values of single tokens: `docs/protocols/tinker.md#losses`. */

import type { LossName } from "../config/lossDefaults.ts";

/** What a loss is computed from at one position. */
export interface LossToken {
  /** Log-probability of the target under the weights that are trained. */
  readonly p: number;
  /** Log-probability that it was sampled with. */
  readonly q: number;
  readonly advantage: number;
}

export type TokenLoss = (token: LossToken) => number;

/** The value to minimise of one token; `parameters` are those of `loss_fn_config`, complete. */
export function policyLoss(
  loss: LossName,
  parameters: Readonly<Record<string, number>>,
): TokenLoss {
  const low = parameters["clip_low_threshold"] ?? 0;
  const high = parameters["clip_high_threshold"] ?? Number.POSITIVE_INFINITY;
  const beta = parameters["beta"] ?? 0;
  const ratio = ({ p, q }: LossToken): number => Math.exp(p - q);
  const clipped = (token: LossToken): number => Math.min(Math.max(ratio(token), low), high);
  switch (loss) {
    case "importance_sampling":
      return (token) => -ratio(token) * token.advantage;
    case "ppo":
      return (token) => -Math.min(ratio(token) * token.advantage, clipped(token) * token.advantage);
    case "cispo":
      return (token) => -clipped(token) * token.p * token.advantage;
    case "dro":
      return ({ p, q, advantage }) => -(p * advantage - 0.5 * beta * (p - q) ** 2);
  }
}
