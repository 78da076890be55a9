/** How old the policies are that a step's groups were sampled with. */

import type { MetricsTree } from "../../runFolder/metrics/metricsTree.ts";
import { summarize } from "../../util/stats.ts";
import type { Policy } from "../run/policy.ts";

/** Updates that each group's policy lacks, for weights with `updates` updates. */
export function staleness(
  policies: readonly Pick<Policy, "updates">[],
  updates: number,
): readonly number[] {
  return policies.map((policy) => updates - policy.updates);
}

/** `async/staleness`: the updates lacked, and how many of them `max_steps_off_policy` did not allow. */
export function stalenessMetrics(policies: readonly Policy[], updates: number): MetricsTree {
  const { mean, min, max } = summarize(staleness(policies, updates));
  const beyond_allowed = Math.max(...policies.map(({ behind }) => behind));
  return { async: { staleness: { mean, min, max, beyond_allowed } } };
}
