/** Texts of the runs table and the comparison. */

import * as l10n from "@vscode/l10n";
import { plural } from "../../src/shared/format.ts";
import { metricTitle } from "../../src/shared/metricTitles.ts";
import { phaseTexts } from "../../src/shared/phaseTexts.ts";

interface ColumnTexts {
  readonly head: string;
  readonly hint: string;
}

/** Texts by column key. */
const columns: Readonly<Record<string, ColumnTexts>> = {
  name: { head: l10n.t("Run"), hint: l10n.t("Name of the run") },
  sweep: {
    head: l10n.t("Part of"),
    hint: l10n.t("The sweep, or the stages, that the run belongs to"),
  },
  lineage: {
    head: l10n.t("From"),
    hint: l10n.t("The run whose weights it started from (init_from)"),
  },
  star: { head: "★", hint: l10n.t("Your stars") },
  tags: { head: l10n.t("Tags"), hint: l10n.t("Your tags") },
  note: { head: l10n.t("Note"), hint: l10n.t("Your note") },
  state: { head: l10n.t("State"), hint: l10n.t("What the run is doing, or how it ended") },
  "reward.last": { head: l10n.t("Reward"), hint: l10n.t("Mean reward of the last step") },
  "reward.best": {
    head: l10n.t("Best of 5"),
    hint: l10n.t("Highest mean reward over 5 steps in a row"),
  },
  "reward.mean": { head: l10n.t("Mean"), hint: l10n.t("Mean reward over all steps") },
  held_out_loss: {
    head: l10n.t("Held-out loss"),
    hint: l10n.t("Latest loss on held-out examples"),
  },
  mean_loss: { head: l10n.t("Mean loss"), hint: l10n.t("Mean loss of the last steps, at most 5") },
  steps: { head: l10n.t("Steps"), hint: l10n.t("Completed and planned steps") },
  time: { head: l10n.t("Time"), hint: l10n.t("Time of all steps, without pauses") },
  tokens: { head: l10n.t("Tokens"), hint: l10n.t("Tokens of all requests") },
  cost: { head: l10n.t("Cost"), hint: l10n.t("USD, if prices are known") },
  alarms: { head: l10n.t("Alarms"), hint: l10n.t("Alarms that fire in the last step") },
  started: { head: l10n.t("Started"), hint: l10n.t("Start of the last attempt") },
  success: {
    head: metricTitle("rollout/success_frac"),
    hint: l10n.t("Share of successful rollouts in the last step"),
  },
  response_tokens: {
    head: metricTitle("rollout/response_tokens/mean"),
    hint: l10n.t("Mean sampled tokens per rollout in the last step"),
  },
  turns: {
    head: metricTitle("rollout/turns/mean"),
    hint: l10n.t("Mean turns per rollout in the last step"),
  },
  loss: { head: l10n.t("Loss"), hint: l10n.t("Loss of the last step") },
  kl: {
    head: metricTitle("optim/kl_sample_train_v2"),
    hint: l10n.t("KL divergence between sampler and trainer in the last step"),
  },
  entropy: { head: l10n.t("Entropy"), hint: l10n.t("Entropy of the last step") },
};

export const runsStrings = {
  columns,
  sections: { run: l10n.t("Run"), results: l10n.t("Results"), settings: l10n.t("Settings") },
  states: { ...phaseTexts(), unknown: l10n.t("unreadable") },
  tooMany: (limit: number) => l10n.t("The first {0} are compared.", limit),
  groupOf: (label: string, count: number) =>
    plural(
      count,
      "{1}: {0} run",
      "{1}: {0} runs",
      label === "" ? l10n.t("all settings equal") : label,
    ),

  sweepHint: l10n.t("Which setting of the sweep mattered"),
  compare: l10n.t("Comparison"),
  tabs: {
    charts: l10n.t("Charts"),
    evaluations: l10n.t("Evaluations"),
    config: l10n.t("Configuration"),
  },
  bands: {
    interval: l10n.t("95% confidence interval of the mean"),
    range: l10n.t("lowest to highest"),
  },
  baseline: l10n.t("baseline"),
  taskByTask: l10n.t("Task by task"),
  failed: (count: number) => plural(count, "({0} failed)", "({0} failed)"),
} as const;
