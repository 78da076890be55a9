/** The table of runs, and the comparison of those that are chosen. */

import * as l10n from "@vscode/l10n";
import { formatCount, plural } from "../../src/shared/format.ts";
import { phaseTexts } from "../../src/shared/phaseTexts.ts";

interface ColumnTexts {
  readonly head: string;
  readonly hint: string;
}

/** By key of a column. */
const columns: Readonly<Record<string, ColumnTexts>> = {
  name: { head: l10n.t("Run"), hint: l10n.t("Name of the run") },
  sweep: { head: l10n.t("Sweep"), hint: l10n.t("The sweep that the run belongs to") },
  star: { head: "★", hint: l10n.t("Stars that you gave") },
  tags: { head: l10n.t("Tags"), hint: l10n.t("Tags that you gave") },
  note: { head: l10n.t("Note"), hint: l10n.t("Your note") },
  state: { head: l10n.t("State"), hint: l10n.t("What the run does, or how it ended") },
  "reward.last": { head: l10n.t("Reward"), hint: l10n.t("Mean reward of the last step") },
  "reward.best": {
    head: l10n.t("Best"),
    hint: l10n.t("Highest mean reward over 5 steps in a row"),
  },
  "reward.mean": { head: l10n.t("Mean"), hint: l10n.t("Mean reward over all steps") },
  steps: { head: l10n.t("Steps"), hint: l10n.t("Completed steps, and those that are planned") },
  time: { head: l10n.t("Time"), hint: l10n.t("Time of all steps, without pauses") },
  tokens: { head: l10n.t("Tokens"), hint: l10n.t("Tokens of all requests") },
  cost: { head: l10n.t("Cost"), hint: l10n.t("USD, where prices are known") },
  alarms: { head: l10n.t("Alarms"), hint: l10n.t("Alarms that fire in the last step") },
  started: { head: l10n.t("Started"), hint: l10n.t("Start of the last attempt") },
  success: {
    head: l10n.t("Success"),
    hint: l10n.t("Share of successful rollouts in the last step"),
  },
  response_tokens: {
    head: l10n.t("Response tokens"),
    hint: l10n.t("Mean tokens that a rollout of the last step sampled"),
  },
  turns: { head: l10n.t("Turns"), hint: l10n.t("Mean turns of a rollout in the last step") },
  loss: { head: l10n.t("Loss"), hint: l10n.t("Loss of the last step") },
  kl: {
    head: l10n.t("KL"),
    hint: l10n.t("KL divergence between sampler and trainer in the last step"),
  },
  entropy: { head: l10n.t("Entropy"), hint: l10n.t("Entropy of the last step") },
};

/** By name of a metric. */
const metrics: Readonly<Record<string, string>> = {
  "rollout/reward/mean": l10n.t("Mean reward"),
  "rollout/success_frac": l10n.t("Success"),
  "rollout/response_tokens/mean": l10n.t("Response tokens"),
  "rollout/turns/mean": l10n.t("Turns"),
  loss: l10n.t("Loss"),
  "optim/kl_sample_train_v1": l10n.t("KL sampler to trainer"),
  "optim/entropy": l10n.t("Entropy"),
};

export const runsStrings = {
  title: l10n.t("Runs"),
  columns,
  states: { ...phaseTexts(), unknown: l10n.t("unreadable") },
  evaluation: l10n.t("Evaluation"),
  evaluationOf: (differing: string) => l10n.t("Eval {0}", differing),
  evaluationHint: (cell: string) =>
    l10n.t("Newest evaluation of {0}, with its 95 % interval", cell),
  filter: l10n.t("Filter: a text, or learning_rate < 1e-4 reward.best > 0.5 name:foo"),
  filterLabel: l10n.t("Filter runs"),
  count: (shown: number, all: number) =>
    shown === all
      ? plural(all, "{0} run", "{0} runs")
      : l10n.t("{0} of {1} runs", formatCount(shown), formatCount(all)),
  unread: (count: number) => plural(count, "reading {0} run…", "reading {0} runs…"),
  chosen: (count: number) => plural(count, "{0} chosen", "{0} chosen"),
  tooMany: (limit: number) => l10n.t("The first {0} are compared.", limit),
  clearChosen: l10n.t("Choose none"),
  empty: l10n.t("No run to show"),
  emptyHint: l10n.t("Start a training, or open a run folder in the Runs view."),
  noMatch: l10n.t("No run matches the filter."),
  loading: l10n.t("Reading the runs…"),
  group: l10n.t("Group"),
  noGroups: l10n.t("no groups"),
  groupVaried: l10n.t("Varied by a sweep"),
  groupOthers: l10n.t("Other settings"),
  groupBy: (key: string) => l10n.t("by {0}", key),
  groupOver: (key: string) => l10n.t("over {0} (all else equal)", key),
  groupOf: (label: string, count: number) =>
    plural(
      count,
      "{1}: {0} run",
      "{1}: {0} runs",
      label === "" ? l10n.t("all settings equal") : label,
    ),
  columnsMenu: l10n.t("Columns"),
  export: l10n.t("Export CSV"),
  grid: l10n.t("Runs"),
  keys: l10n.t(
    "Arrow keys move, Space chooses, Shift with arrows chooses several, Enter opens the dashboard, s stars, t edits tags, n the note.",
  ),
  chooseRun: (name: string) => l10n.t("Compare {0}", name),
  chooseColumn: l10n.t("Compare"),
  star: (name: string) => l10n.t("Star {0}", name),
  editMark: l10n.t("Double-click to edit"),
  headKeys: l10n.t("Alt with an arrow key moves the column, Shift with one changes its width."),
  resetColumns: l10n.t("As at first"),

  compare: l10n.t("Comparison"),
  tabs: {
    charts: l10n.t("Charts"),
    evaluations: l10n.t("Evaluations"),
    config: l10n.t("Configuration"),
  },
  legend: l10n.t("Compared runs"),
  leaveOut: (name: string) => l10n.t("Leave out {0}", name),
  showTable: l10n.t("Show table"),
  hideTable: l10n.t("Hide table"),
  divider: l10n.t("Height of the comparison"),
  metrics,
  noNumbers: l10n.t("There is nothing to draw yet. Choose metrics of the compared runs."),
  chooseMetrics: l10n.t("Metrics"),
  moveBack: (title: string) => l10n.t("Move {0} back", title),
  moveOn: (title: string) => l10n.t("Move {0} on", title),
  wide: l10n.t("Wide"),
  wideHint: (title: string) => l10n.t("Give {0} the whole width", title),
  removeChart: (title: string) => l10n.t("Remove {0}", title),
  heightOf: (title: string) => l10n.t("Height of {0}", title),
  means: l10n.t("Means of groups"),
  band: l10n.t("Band"),
  bands: {
    interval: l10n.t("95 % interval of the mean"),
    range: l10n.t("lowest to highest"),
  },
  exportSvg: l10n.t("Drawing (SVG)…"),

  setting: l10n.t("Setting"),
  sameSettings: l10n.t("These runs have the same settings."),
  whole: l10n.t("Whole configuration"),
  baseline: l10n.t("baseline"),
  diff: l10n.t("Open diff"),
  diffHint: (first: string, second: string) =>
    l10n.t("Compares the configurations of {0} and {1} in the editor", first, second),

  readingEvaluations: l10n.t("Reading the evaluations…"),
  noEvaluations: l10n.t("None of these runs has been evaluated."),
  pairedHint: l10n.t(
    "Newest evaluation of each run. Differences are taken task by task from the first one.",
  ),
  taskByTask: l10n.t("Task by task"),
  task: l10n.t("Task"),
  interval: l10n.t("95 % interval"),
  difference: l10n.t("Difference"),
  betterWorse: l10n.t("Tasks"),
  rollouts: l10n.t("Rollouts"),
  failed: (count: number) => plural(count, "({0} failed)", "({0} failed)"),
  tooFewTasks: l10n.t("A difference needs 8 tasks that both evaluations have"),
  between: (low: string, high: string) => l10n.t("{0} to {1}", low, high),
  differs: (mean: string, low: string, high: string) => l10n.t("{0} ({1} to {2})", mean, low, high),
  ofTasks: (better: number, worse: number, tasks: number) =>
    l10n.t("{0} better, {1} worse of {2}", better, worse, tasks),
  moreTasks: (count: number) => plural(count, "and {0} more task", "and {0} more tasks"),
} as const;
