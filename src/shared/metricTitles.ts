/** What metrics are called, the same in the dashboard, the runs table and reports. */

import * as l10n from "@vscode/l10n";

/** The name of a metric for people; its own where it has no other. */
export function metricTitle(metric: string): string {
  const known = titles();
  return (Object.hasOwn(known, metric) ? known[metric] : undefined) ?? metric;
}

/** Made when it is asked, because programs choose their language after they have loaded. */
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
