/** Display names of metrics, the same in the dashboard, the runs table and reports. */

import * as l10n from "@vscode/l10n";

/** The display name of a metric, or the metric's own name if it has none. */
export function metricTitle(metric: string): string {
  const known = titles();
  return (Object.hasOwn(known, metric) ? known[metric] : undefined) ?? metric;
}

/** Built on each call, because programs set their language after loading this module. */
function titles(): Readonly<Record<string, string>> {
  return {
    "rollout/reward/mean": l10n.t("Mean reward"),
    "rollout/success_frac": l10n.t("Success rate"),
    "rollout/response_tokens/mean": l10n.t("Response tokens"),
    "rollout/turns/mean": l10n.t("Turns per rollout"),
    "rollout/entropy": l10n.t("Entropy"),
    "group/frac_mixed": l10n.t("Share of groups with mixed rewards"),
    "optim/kl_sample_train_v2": l10n.t("KL sampler to trainer"),
    "optim/kl_policy_base": l10n.t("KL to the base model"),
    "optim/grad_norm": l10n.t("Gradient norm"),
    "optim/lr": l10n.t("Learning rate"),
    loss: l10n.t("Loss"),
    "held_out/loss": l10n.t("Held-out loss"),
    "teacher/kl": l10n.t("KL to the teacher"),
    "time/total_s": l10n.t("Seconds per step"),
    "tokens/sampled": l10n.t("Tokens billed as sampled, per step"),
    "cost/cumulative_usd": l10n.t("Cost of the steps in USD, without evaluations"),
  };
}
