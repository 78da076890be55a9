/**
 * The KL penalty, added to the advantages because the service's losses have no KL term. With d as the log-probability of a sampled token
 * under the sampling policy minus that under the base model, each trained token gets kl_coef (mean of d over the batch - d) added to its
 * advantage; with a discount, the discounted sum over this and later tokens. The mean of d estimates the KL divergence of the policy from
 * the base model (`optim/kl_policy_base`), and tokens above it are discouraged: a per-token reward as in RLHF (Ziegler et al. 2019,
 * arXiv:1909.08593) with the batch as baseline, like `kl_penalty_coef` in tinker-cookbook (`rl/metrics.py`).
 */

import type { TrainingDatum } from "./datums.ts";
import {
  discountedSums,
  type ReferenceContext,
  type ReferenceModel,
  referenceLogprobs,
  withAdvantages,
} from "./reference.ts";

export interface PenalizedData {
  readonly data: readonly TrainingDatum[];
  /** Mean of d over the trained tokens; null when unknown for all of them. */
  readonly klPolicyBase: number | null;
}

/**
 * Requests the reference model's log-probabilities of the data and penalizes the difference.
 * @throws AppError `tinker-*`
 */
export async function withKlPenalty(
  context: ReferenceContext,
  data: readonly TrainingDatum[],
): Promise<PenalizedData> {
  const logprobs = await referenceLogprobs(context, klReference(context), data);
  const { kl_coef: coefficient, kl_discount: discount } = context.config;
  return penalizeKl(data, logprobs, coefficient, discount);
}

/** The model that `kl_coef` keeps the policy close to. */
export function klReference({ config, services }: ReferenceContext): ReferenceModel {
  const { init_from: init, kl_reference: given, model_name: model } = config;
  if (given === "base") {
    return { kind: "base", name: services.client.info().baseModel ?? model };
  }
  return { kind: "weights", given: given === "init" ? (init ?? "") : given };
}

/** `base` has one log-probability per target of each datum; a non-finite one is unknown, and its token gets no penalty. */
export function penalizeKl(
  data: readonly TrainingDatum[],
  base: readonly Float32Array[],
  coefficient: number,
  discount = 0,
): PenalizedData {
  const differences = data.map(({ logprobs, mask }, d) =>
    Float64Array.from(logprobs, (q, i) =>
      mask[i] === 1 ? q - (base[d]?.[i] ?? Number.NaN) : Number.NaN,
    ),
  );
  let total = 0;
  let count = 0;
  for (const row of differences) {
    for (const difference of row) {
      if (!Number.isFinite(difference)) continue;
      total += difference;
      count += 1;
    }
  }
  if (count === 0) return { data, klPolicyBase: null };
  const mean = total / count;
  const penalized = data.map((datum, d) => {
    const own = differences[d] ?? new Float64Array();
    const added = discountedSums(
      own.map((difference) =>
        Number.isFinite(difference) ? coefficient * (mean - difference) : 0,
      ),
      discount,
    );
    return withAdvantages(datum, added);
  });
  return { data: penalized, klPolicyBase: mean };
}
