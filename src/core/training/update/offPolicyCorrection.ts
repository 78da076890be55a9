/**
 * Weights for tokens that were sampled with other weights than those about to be updated, or by a sampler whose probabilities differ from
 * the trainer's. With r = p/q, a token's probability under the trainer over that under its sampler, the weight is
 *
 * - `tis`: min(r, ratio_high), truncated importance sampling (Espeholt et al. 2018, arXiv:1802.01561; Yao et al. 2025,
 *   <https://fengyao.notion.site/off-policy-rl>); 2 is the bound of verl, SkyRL and slime;
 * - `icepop`: r from ratio_low to ratio_high, else 0 (Ling Team 2025, arXiv:2510.18855), by default 0.5 to 5 as in verl;
 * - `sequence_mask`: 1 if the geometric mean of r over the rollout is from ratio_low to ratio_high, else 0 (Liu et al. 2025,
 *   <https://richardli.xyz/rl-collapse>; verl's `bypass_ppo_clip_geo_rs`), by default 0.99 to 1.01 as in SkyRL.
 *
 * Weights are constant with respect to the gradient, so they can be multiplied into the advantages for every loss. With `tis` and
 * `icepop`, the weights correct from sampler to trainer, so the ratio of the loss starts at p (decoupled PPO, Hilton et al. 2022,
 * arXiv:2110.00641); with `sequence_mask` it starts at q, as without a correction. The denominators of the loss (`lossNormalization.ts`)
 * do not change.
 */

import { groupBy } from "../../../shared/groupBy.ts";
import type { Config } from "../../config/fields/schema.ts";
import { correctionBounds } from "../../config/rules/correctionDefaults.ts";
import type { MetricsTree } from "../../runFolder/metrics/metricsTree.ts";
import { fraction, mean } from "../../util/stats.ts";
import type { TrainingDatum } from "./datums.ts";
import { rolloutKey } from "./lossNormalization.ts";

type CorrectionConfig = Pick<
  Config,
  "off_policy_correction" | "off_policy_correction_config" | "loss_fn"
>;

export interface CorrectedData {
  /** All data with weights, which are also in the advantages. */
  readonly data: readonly TrainingDatum[];
  /** `optim/off_policy_…` over all trained tokens. */
  readonly metrics: MetricsTree;
}

/** A datum with the log-ratios between its trainer and its sampler. */
interface Compared {
  readonly datum: TrainingDatum;
  /** log r of each target. */
  readonly differences: Float64Array;
}

/** `trainer` has the log-probability of each target of each datum under the weights about to be updated. */
export function correctOffPolicy(
  data: readonly TrainingDatum[],
  trainer: readonly Float32Array[],
  config: CorrectionConfig,
): CorrectedData {
  const isOfSequence = config.off_policy_correction === "sequence_mask";
  const compared = data.map((datum, d) => ({
    datum,
    differences: Float64Array.from(datum.logprobs, (q, i) => (trainer[d]?.[i] ?? Number.NaN) - q),
  }));
  const means = isOfSequence ? rolloutMeans(compared) : null;
  const weightOf = weighting(config);
  const weights = compared.map(({ datum, differences }) => {
    const mean = means?.get(rolloutKey(datum));
    return differences.map((own) => weightOf(Math.exp(mean ?? own)));
  });
  const corrected = data.map((datum, d) => ({
    ...datum,
    advantages: datum.advantages.map((advantage, i) => advantage * (weights[d]?.[i] ?? 0)),
    weights: weights[d] ?? new Float64Array(),
    oldLogprobs: isOfSequence ? datum.oldLogprobs : knownWhereTrained(datum, trainer[d]),
    trainerLogprobs:
      config.loss_fn === "dro" ? (trainer[d] ?? new Float32Array()) : datum.trainerLogprobs,
  }));
  return { data: corrected, metrics: correctionMetrics(compared, weights, config) };
}

/** True when every trained token has weight 0, so nothing of the datum is sent. */
export function isMasked({ mask, weights }: Pick<TrainingDatum, "mask" | "weights">): boolean {
  return weights !== undefined && mask.every((trained, i) => trained !== 1 || weights[i] === 0);
}

/** Mean of log r over the trained tokens of each rollout, across its streams. */
function rolloutMeans(compared: readonly Compared[]): ReadonlyMap<string, number> {
  const byRollout = groupBy(compared, ({ datum }) => rolloutKey(datum));
  return new Map(
    [...byRollout].map(([key, streams]) => {
      const trained = streams.flatMap(({ datum: { mask }, differences }) =>
        Array.from(differences).filter((_, i) => mask[i] === 1),
      );
      return [key, mean(trained) ?? 0] as const;
    }),
  );
}

function weighting(config: CorrectionConfig): (ratio: number) => number {
  const { ratio_low: low = 0, ratio_high: high = Number.POSITIVE_INFINITY } =
    correctionBounds(config);
  switch (config.off_policy_correction) {
    case "none":
      return () => 1;
    case "tis":
      return (ratio) => Math.min(ratio, high);
    case "icepop":
      return (ratio) => (low <= ratio && ratio <= high ? ratio : 0);
    case "sequence_mask":
      return (ratio) => (low <= ratio && ratio <= high ? 1 : 0);
  }
}

/** The trainer's log-probabilities at trained tokens, and the sampler's elsewhere. */
function knownWhereTrained({ logprobs, mask }: TrainingDatum, own: Float32Array | undefined) {
  return logprobs.map((q, i) => (mask[i] === 1 ? (own?.[i] ?? q) : q));
}

function correctionMetrics(
  compared: readonly Compared[],
  weights: readonly Float64Array[],
  config: CorrectionConfig,
): MetricsTree {
  const { ratio_high: high = Number.POSITIVE_INFINITY } = correctionBounds(config);
  let [tokens, total, truncated, masked] = [0, 0, 0, 0];
  for (const [d, { datum, differences }] of compared.entries()) {
    for (let i = 0; i < datum.mask.length; i += 1) {
      if (datum.mask[i] !== 1) continue;
      const weight = weights[d]?.[i] ?? 0;
      tokens += 1;
      total += weight;
      if (Math.exp(differences[i] ?? 0) > high) truncated += 1;
      if (weight === 0) masked += 1;
    }
  }
  return {
    off_policy_weight_mean: fraction(total, tokens),
    ...(config.off_policy_correction === "tis"
      ? { off_policy_truncated_frac: fraction(truncated, tokens) }
      : { off_policy_masked_frac: fraction(masked, tokens) }),
  };
}
