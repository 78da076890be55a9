/**
 * The penalty for leaving the base model, as a part of the advantages, because the losses of the wire know no KL term. With
 * d = log-probability of a sampled token under the policy that sampled it, less that under the base model, each trained token gets
 * kl_coef (mean of d over the batch - d) on its advantage. The mean of d estimates the KL divergence of the policy from the base
 * model (`optim/kl_policy_base`), and tokens beyond it are discouraged: a reward for each token as in RLHF (Ziegler et al. 2019,
 * arXiv:1909.08593), with the batch as its baseline, as tinker-cookbook's `kl_penalty_coef` does (`rl/metrics.py` there).
 */

import { AppError, errorMessage, isAppError } from "../../errors.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import type { RunContext } from "../run/context.ts";
import type { TrainingDatum } from "./datums.ts";

type BaseModelContext = Pick<RunContext, "config" | "control" | "limits" | "services">;

export interface PenalizedData {
  readonly data: readonly TrainingDatum[];
  /** Mean of d over the trained tokens; null when it is known of none. */
  readonly klPolicyBase: number | null;
}

/**
 * Asks the service for what the base model makes of the data, and penalizes the difference.
 * @throws AppError `tinker-*`
 */
export async function withKlPenalty(
  context: BaseModelContext,
  data: readonly TrainingDatum[],
): Promise<PenalizedData> {
  const sampler = await baseSampler(context);
  const logprobs = data.map((datum) => {
    const { signal } = context.control;
    const ask = () => baseLogprobs(context, sampler, datum, signal);
    return context.limits.samples.run(ask, { signal });
  });
  return penalizeKl(data, await Promise.all(logprobs), context.config.kl_coef);
}

/** `base` has one log-probability per target of each datum; one that is not finite is unknown, which leaves the token without a penalty. */
export function penalizeKl(
  data: readonly TrainingDatum[],
  base: readonly Float32Array[],
  coefficient: number,
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
  const penalized = data.map((datum, d) => ({
    ...datum,
    advantages: datum.advantages.map((advantage, i) => {
      const difference = differences[d]?.[i] ?? Number.NaN;
      return Number.isFinite(difference)
        ? advantage + coefficient * (mean - difference)
        : advantage;
    }),
  }));
  return { data: penalized, klPolicyBase: mean };
}

/**
 * Before the first rollout: does the service give log-probabilities of the base model?
 * @throws AppError `base-model-not-sampled`, `tinker-*`
 */
export async function checkBaseModel(context: BaseModelContext): Promise<void> {
  const { control, services } = context;
  const tokens = services.chat.tokenizer.encodeText("What is 2 + 3?");
  try {
    const sampler = await baseSampler(context);
    await sampler.computeLogprobs(tokens, { signal: control.signal });
  } catch (error) {
    if (!REFUSALS.some((code) => isAppError(error, code))) throw error;
    throw new AppError(
      "base-model-not-sampled",
      `kl_coef needs the log-probabilities of ${baseModelOf(context)}, which the service at ${services.service.address} does not provide. ${errorMessage(error)} Set kl_coef to 0 to train without this penalty.`,
      { configPath: "kl_coef", cause: error },
    );
  }
}

const REFUSALS = [
  "tinker-not-found",
  "tinker-bad-request",
  "tinker-request-failed",
  "tinker-protocol",
] as const;

function baseModelOf({ config, services }: BaseModelContext): string {
  return services.client.info().baseModel ?? config.model_name;
}

function baseSampler(context: BaseModelContext): Promise<SamplingClient> {
  return context.services.service.samplerForBase(baseModelOf(context));
}

/** Log-probabilities of a datum's targets; NaN if the service gives none, and for a target that fills the context to its end. */
async function baseLogprobs(
  { services }: BaseModelContext,
  sampler: SamplingClient,
  { ledger, tokens, images = [] }: TrainingDatum,
  signal: AbortSignal,
): Promise<Float32Array> {
  const [environment] = services.environments.values();
  // A request for log-probabilities samples a token, too, for which there must be room.
  const room = (environment?.given.maxContext ?? Number.POSITIVE_INFINITY) - 1;
  const sequence = Array.from(ledger.tokens.subarray(0, Math.min(tokens.length + 1, room)));
  const known = await sampler.computeLogprobs(sequence, { images, signal });
  return Float32Array.from(tokens, (_, i) => known[i + 1] ?? Number.NaN);
}
