/** The losses as documented, as values of the tokens of a datum: `docs/protocols/tinker.md#losses`. */

import type { LossName } from "../config/rules/lossDefaults.ts";
import { mean } from "../util/stats.ts";

/** What a loss is computed from at one position. */
export interface LossToken {
  /** Log-probability of the target under the weights that are trained. */
  readonly p: number;
  /** Log-probability that it was sampled with. */
  readonly q: number;
  readonly advantage: number;
}

/** The value to minimise of each token of a datum. */
export type DatumLoss = (tokens: readonly LossToken[]) => readonly number[];
type TokenLoss = (token: LossToken) => number;

/** `parameters` are those of `loss_fn_config`, complete. */
export function policyLoss(
  loss: LossName,
  parameters: Readonly<Record<string, number>>,
): DatumLoss {
  const low = parameters["clip_low_threshold"] ?? 0;
  const high = parameters["clip_high_threshold"] ?? Number.POSITIVE_INFINITY;
  const beta = parameters["beta"] ?? 0;
  const ratio = ({ p, q }: LossToken): number => Math.exp(p - q);
  const clip = (value: number): number => Math.min(Math.max(value, low), high);
  const clippedLoss = (value: number, { advantage }: LossToken): number =>
    -Math.min(value * advantage, clip(value) * advantage);
  switch (loss) {
    case "importance_sampling":
      return ofEach((token) => -ratio(token) * token.advantage);
    case "ppo":
      return ofEach((token) => clippedLoss(ratio(token), token));
    case "cispo":
      return ofEach((token) => -clip(ratio(token)) * token.p * token.advantage);
    case "dro":
      return ofEach(({ p, q, advantage }) => -(p * advantage - 0.5 * beta * (p - q) ** 2));
    case "gspo":
      return (tokens) => {
        const whole = sequenceRatio(tokens);
        return tokens.map((token) => clippedLoss(whole, token));
      };
  }
}

/** The loss of tokens that do not depend on each other. */
export function ofEach(loss: TokenLoss): DatumLoss {
  return (tokens) => tokens.map(loss);
}

/** Geometric mean of the ratios of the tokens that are trained: those with an advantage, as {@link probeData} has them. */
function sequenceRatio(tokens: readonly LossToken[]): number {
  const trained = tokens.filter(({ advantage }) => advantage !== 0);
  return Math.exp(mean(trained.map(({ p, q }) => p - q)) ?? 0);
}
