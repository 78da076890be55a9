/** Adjusts advantages with log-probabilities from the service: the KL penalty, teachers, then the off-policy correction. */

import { sum } from "../../../shared/mean.ts";
import { hasTeacher } from "../../config/fields/presets.ts";
import type { MetricsTree } from "../../runFolder/metrics/metricsTree.ts";
import type { RunContext } from "../run/context.ts";
import { report } from "../run/report.ts";
import type { TrainingDatum } from "./datums.ts";
import { distill, lessons, teacherMetrics } from "./distillation.ts";
import { hasGradient } from "./gradient.ts";
import { withKlPenalty } from "./klPenalty.ts";
import { correctOffPolicy, isMasked } from "./offPolicyCorrection.ts";
import { trainerLogprobs } from "./trainerLogprobs.ts";

export interface AdjustedData {
  /** Data to send, namely all with a gradient; may be empty. */
  readonly data: readonly TrainingDatum[];
  /** Data that `off_policy_correction` removed, with the log-probabilities of its forward pass. */
  readonly masked: readonly TrainingDatum[];
  readonly metrics: MetricsTree;
}

/** Requests all log-probabilities that the configuration needs at once, or none. Warns when the correction leaves nothing to train on. */
export async function adjustAdvantages(
  context: RunContext,
  step: number,
  scored: readonly TrainingDatum[],
  environmentOf: (datum: TrainingDatum) => string,
): Promise<AdjustedData> {
  if (scored.length === 0) return { data: [], masked: [], metrics: {} };
  const { config, reporting, services } = context;
  const tokens = sum(scored.map((datum) => datum.tokens.length));
  reporting.watch({ kind: "training", step, datums: scored.length, tokens });
  const isCorrected = config.off_policy_correction !== "none";
  const [penalized, taught, trainer] = await Promise.all([
    config.kl_coef > 0 ? withKlPenalty(context, scored) : null,
    hasTeacher(config) ? lessons(context, scored, environmentOf) : [],
    isCorrected ? trainerLogprobs(services.client, scored) : null,
  ]);
  const klPolicyBase = penalized?.klPolicyBase ?? null;
  const kl = klPolicyBase === null ? {} : { kl_policy_base: klPolicyBase };
  const data = distill(penalized?.data ?? scored, taught);
  const teacher = teacherMetrics(config, scored, taught, environmentOf);
  const withGradient = (each: TrainingDatum): boolean => hasGradient(each, config);
  if (trainer === null) {
    return { data: data.filter(withGradient), masked: [], metrics: { optim: kl, ...teacher } };
  }
  const corrected = correctOffPolicy(data, trainer, config);
  const left = corrected.data.filter(withGradient);
  const masked = corrected.data.flatMap((datum, d) =>
    isMasked(datum) ? [{ ...datum, trainerLogprobs: trainer[d] ?? new Float32Array() }] : [],
  );
  if (left.length === 0 && masked.length > 0) await reportMasked(context, step);
  const optim = { ...kl, ...corrected.metrics };
  return { data: left, masked, metrics: { optim, ...teacher } };
}

async function reportMasked({ config, reporting }: RunContext, step: number): Promise<void> {
  const message = `step ${step + 1}: off_policy_correction: ${config.off_policy_correction} left nothing to train on, because the policy has moved out of its bounds since it sampled. The weights stay as they are.`;
  await report(reporting, { step, level: "warn", kind: "step-masked", message });
}
