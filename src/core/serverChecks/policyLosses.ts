/** The documented losses, as values for the tokens of a datum: `docs/protocols/tinker.md#losses`. */

import type { LossName } from "../config/rules/lossDefaults.ts";
import { mean } from "../util/stats.ts";

/** All losses but those whose formula is not published. */
export type DocumentedLoss = Exclude<LossName, "stable_reinforce">;

/** Inputs of a loss at one position. */
export interface LossToken {
  /** Log-probability of the target under the trained weights. */
  readonly p: number;
  /** Log-probability when sampled. */
  readonly q: number;
  readonly advantage: number;
}

/** The value to minimize for each token of a datum. */
export type DatumLoss = (tokens: readonly LossToken[]) => readonly number[];
type TokenLoss = (token: LossToken) => number;

/** `parameters` is the complete `loss_fn_config`. */
export function policyLoss(
  loss: DocumentedLoss,
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

/** A loss computed for each token independently. */
export function ofEach(loss: TokenLoss): DatumLoss {
  return (tokens) => tokens.map(loss);
}

/** Geometric mean of the ratios of trained tokens, which are those with an advantage, as in {@link probeData}. */
function sequenceRatio(tokens: readonly LossToken[]): number {
  const trained = tokens.filter(({ advantage }) => advantage !== 0);
  return Math.exp(mean(trained.map(({ p, q }) => p - q)) ?? 0);
}
