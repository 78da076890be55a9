/**
 * On-policy distillation. With d as the log-probability of a sampled token under the sampling policy minus that under the teacher, each
 * trained token gets -coef d added to its advantage: the gradient of the reverse KL divergence from the teacher. With a discount, it is
 * the discounted sum over this and later tokens. Agarwal et al. 2024, arXiv:2306.13649; Gu et al. 2024, arXiv:2306.08543;
 * `distillation/train_on_policy.py` in tinker-cookbook.
 */

import { groupBy } from "../../../shared/groupBy.ts";
import type { Config } from "../../config/fields/schema.ts";
import { type Teacher, teacherOf } from "../../config/rules/teachers.ts";
import { metricNames } from "../../runFolder/metrics/metrics.ts";
import type { MetricsTree } from "../../runFolder/metrics/metricsTree.ts";
import { fraction } from "../../util/stats.ts";
import type { TrainingDatum } from "./datums.ts";
import {
  discountedSums,
  type ReferenceContext,
  type ReferenceModel,
  referenceLogprobs,
  taughtPrompt,
  withAdvantages,
} from "./reference.ts";

/** A teacher's log-probabilities for a datum. */
export interface Lesson {
  readonly teacher: Pick<Teacher, "coef" | "discount">;
  /** One per target; a non-finite value is unknown and adds nothing to the token. */
  readonly logprobs: Float32Array;
}

/** The reference model that a teacher's configuration names. */
export function referenceOf({ model, checkpoint }: Teacher): ReferenceModel {
  return checkpoint === null
    ? { kind: "base", name: model ?? "" }
    : { kind: "weights", given: checkpoint };
}

/** The lesson for each datum; null without a teacher. @throws AppError `tinker-*` */
export async function lessons(
  context: ReferenceContext,
  data: readonly TrainingDatum[],
  environmentOf: (datum: TrainingDatum) => string,
): Promise<readonly (Lesson | null)[]> {
  const taught = new Map<TrainingDatum, Lesson>();
  const byEnvironment = groupBy(data, environmentOf);
  await Promise.all(
    [...byEnvironment].map(async ([environment, own]) => {
      const teacher = teacherOf(context.config, environment);
      if (teacher === null) return;
      const logprobs = await referenceLogprobs(context, referenceOf(teacher), own, taughtPrompt);
      for (const [i, datum] of own.entries()) {
        taught.set(datum, { teacher, logprobs: logprobs[i] ?? new Float32Array() });
      }
    }),
  );
  return data.map((datum) => taught.get(datum) ?? null);
}

/** Log-probability under the policy minus that under the teacher at each trained token; not finite elsewhere or if unknown. */
function differences(
  { logprobs, mask }: Pick<TrainingDatum, "logprobs" | "mask">,
  lesson: Lesson,
): Float64Array {
  return Float64Array.from(logprobs, (q, i) =>
    mask[i] === 1 ? q - (lesson.logprobs[i] ?? Number.NaN) : Number.NaN,
  );
}

/** Adds the teachers' terms to the advantages. */
export function distill(
  data: readonly TrainingDatum[],
  taught: readonly (Lesson | null)[],
): readonly TrainingDatum[] {
  return data.map((datum, d) => {
    const lesson = taught[d];
    if (lesson == null) return datum;
    const { coef, discount } = lesson.teacher;
    const added = discountedSums(
      differences(datum, lesson).map((difference) =>
        Number.isFinite(difference) ? -coef * difference : 0,
      ),
      discount,
    );
    return withAdvantages(datum, added);
  });
}

/** `teacher/kl`: the mean of the known differences; null if there are none. Also per environment if there are several. */
export function teacherMetrics(
  { environments }: Pick<Config, "environments">,
  data: readonly TrainingDatum[],
  taught: readonly (Lesson | null)[],
  environmentOf: (datum: TrainingDatum) => string,
): MetricsTree {
  const sums = new Map<string, { total: number; tokens: number }>();
  for (const [d, datum] of data.entries()) {
    const lesson = taught[d];
    if (lesson == null) continue;
    const environment = environmentOf(datum);
    const sum = sums.get(environment) ?? { total: 0, tokens: 0 };
    const known = differences(datum, lesson).filter(Number.isFinite);
    sum.total += known.reduce((total, one) => total + one, 0);
    sum.tokens += known.length;
    sums.set(environment, sum);
  }
  if (sums.size === 0) return {};
  const all = [...sums.values()].reduce(
    (a, b) => ({ total: a.total + b.total, tokens: a.tokens + b.tokens }),
    { total: 0, tokens: 0 },
  );
  const nameOf = metricNames(Object.keys(environments));
  const each = [...sums].map(([name, { total, tokens }]) => {
    return [nameOf.get(name) ?? name, { kl: fraction(total, tokens) }] as const;
  });
  const env = sums.size > 1 ? { env: Object.fromEntries(each) } : {};
  return { teacher: { kl: fraction(all.total, all.tokens), ...env } };
}
