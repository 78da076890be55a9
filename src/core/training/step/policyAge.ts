/** How old the weights are that the groups of a step were sampled with, in updates that came after them. */

import type { MetricsTree } from "../../runFolder/metrics/metricsTree.ts";
import { summarize } from "../../util/stats.ts";
import type { Policy } from "../run/policy.ts";

/** The age of each group's policy, when the weights have had `updates` updates. */
export function policyAges(
  policies: readonly Pick<Policy, "updates">[],
  updates: number,
): readonly number[] {
  return policies.map((policy) => updates - policy.updates);
}

/** `async/staleness`: the ages, and what of them `max_steps_off_policy` did not allow. */
export function ageMetrics(policies: readonly Policy[], updates: number): MetricsTree {
  const { mean, min, max } = summarize(policyAges(policies, updates));
  const beyond_allowed = Math.max(...policies.map(({ behind }) => behind));
  return { async: { staleness: { mean, min, max, beyond_allowed } } };
}
