/** The list of rollouts, and what stands above it. */

import * as l10n from "@vscode/l10n";
import type { RunState } from "../../src/shared/dashboardTypes.ts";
import { formatCount, plural } from "../../src/shared/format.ts";

export const trajectoriesStrings = {
  step: l10n.t("Step"),
  stepTitle: (step: number) => l10n.t("Step {0}", formatCount(step)),
  evaluationTitle: (step: number) => l10n.t("Evaluation after {0}", formatCount(step)),
  stepOf: (step: number, last: number) =>
    l10n.t("{0} of {1}", formatCount(step), formatCount(last)),
  previousStep: l10n.t("Previous step or evaluation"),
  nextStep: l10n.t("Next step or evaluation"),
  latest: l10n.t("Latest"),
  filter: l10n.t("Filter"),
  search: l10n.t("Text in environment, task, stop reason or error"),
  inMessages: l10n.t("In messages"),
  inMessagesHint: l10n.t("Look for the words in prompts, answers and tool results too"),
  searched: (percent: number) => l10n.t("{0} % searched", percent),
  rewardFrom: l10n.t("Reward from"),
  rewardTo: l10n.t("to"),
  stop: l10n.t("Stop reason"),
  trainingUse: l10n.t("Used"),
  environment: l10n.t("Environment"),
  split: l10n.t("Split"),
  temperature: l10n.t("Sampling"),
  model: l10n.t("Model"),
  all: l10n.t("all"),
  clear: l10n.t("Clear filters"),
  columns: l10n.t("Columns"),
  grid: l10n.t("Rollouts"),
  byTask: l10n.t("By task"),
  byTaskHint: l10n.t("Show the rollouts of a task together, with their mean reward"),
  groupOf: (group: number) => l10n.t("Group {0}", group),
  groupFacts: (mean: string, spread: string) => l10n.t("mean {0} ± {1}", mean, spread),
  groupShown: (shown: number, size: number) =>
    shown === size
      ? plural(size, "{0} rollout", "{0} rollouts")
      : plural(size, "{1} of {0} rollout", "{1} of {0} rollouts", formatCount(shown)),
  mark: l10n.t("Marked"),
  markNames: {
    star: l10n.t("starred"),
    pin: l10n.t("pinned"),
    note: l10n.t("with a note"),
  } as Readonly<Record<string, string>>,
  tagged: (tag: string) => l10n.t("tag {0}", tag),
  starred: l10n.t("starred"),
  pinned: l10n.t("pinned"),
  noted: l10n.t("has a note"),
  stripLabel: (low: string, high: string) =>
    l10n.t("Mean log-probability along the rollout, {0} to {1}", low, high),
  markedList: l10n.t("Marked rollouts"),
  exportMarks: l10n.t("Export all marks as JSON…"),
  savedFilters: l10n.t("Saved filters"),
  removeFilter: (name: string) => l10n.t("Remove {0}", name),
  filterName: l10n.t("Name of the filters"),
  save: l10n.t("Save"),
  count: (shown: number, total: number) =>
    shown === total
      ? plural(total, "{0} rollout", "{0} rollouts")
      : plural(total, "{1} of {0} rollout", "{1} of {0} rollouts", formatCount(shown)),
  noneYet: l10n.t("No rollout has finished here yet."),
  noSteps: {
    failed: l10n.t("The run failed before a rollout ended."),
    stopped: l10n.t("The run was stopped before a rollout ended."),
    interrupted: l10n.t("The trainer stopped before a rollout ended."),
    done: l10n.t("The run has no stored rollouts."),
  } as Readonly<Partial<Record<RunState, string>>>,
  noStepsYet: l10n.t("No rollout has ended yet. They appear here as they end."),
  noMatch: l10n.t("No rollout matches the filters."),
  chooseHint: l10n.t("Choose one to replay it: arrow keys or j and k move, Enter opens."),
  trained: l10n.t("trained"),
  waiting: l10n.t("not scored yet"),
  trainingUses: {
    zero_variance: l10n.t("skipped: equal rewards"),
    failed: l10n.t("skipped: failed"),
    overlong: l10n.t("skipped: too long"),
    too_many_failed: l10n.t("skipped: too many failed"),
  } as Readonly<Record<string, string>>,
  stops: { reached_terminal_state: l10n.t("finished") } as Readonly<Record<string, string>>,
  excluded: (why: string) => l10n.t("skipped: {0}", why.replaceAll("_", " ")),
  failed: l10n.t("failed"),
  head: {
    marks: l10n.t("Marks"),
    rollout: l10n.t("Rollout"),
    taskText: l10n.t("Task"),
    groupMean: l10n.t("Group mean"),
    strip: l10n.t("Log-probs"),
    environment: l10n.t("Environment"),
    split: l10n.t("Split"),
    task: l10n.t("Index"),
    reward: l10n.t("Reward"),
    advantage: l10n.t("Advantage"),
    turns: l10n.t("Turns"),
    tokens: l10n.t("Tokens"),
    tools: l10n.t("Tools"),
    temperature: l10n.t("Sampling"),
    stop: l10n.t("Stop"),
    trainingUse: l10n.t("Used"),
    duration: l10n.t("Time"),
  },
  tools: (calls: number, failed: number) =>
    failed === 0 ? String(calls) : `${calls} (${failed} ✕)`,
} as const;
