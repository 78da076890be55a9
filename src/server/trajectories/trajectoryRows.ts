/** Tree rows of the Trajectories view for steps, evaluations, groups and rollouts. */

import * as l10n from "@vscode/l10n";
import type { EvaluationEntry } from "../../core/runFolder/evaluationLog.ts";
import { groupCounts } from "../../core/runFolder/metrics/groupMetrics.ts";
import type { MetricColumns } from "../../core/runFolder/metrics/metricColumns.ts";
import { areEqualRewards, isSuccess } from "../../core/runFolder/metrics/outcomes.ts";
import type { RolloutSummary } from "../../core/runFolder/reader.ts";
import { plainLine, plainMessage } from "../../core/util/plainText.ts";
import { summarize } from "../../core/util/stats.ts";
import {
  formatCount,
  formatMeasure,
  formatReward,
  formatSigned,
  formatTemperature,
  plural,
} from "../../shared/format.ts";
import { EXAMPLE_STOP, isFailedOutcome, outcomeText } from "../../shared/outcome.ts";
import type { RowText } from "../../shared/rowText.ts";
import type { RunFile } from "../../shared/runFile.ts";
import { decidingPointOf } from "../../shared/trendPoint.ts";

/** `step` counts from 0, the displayed text from 1. `isLive`: a trainer is running. */
export function stepRow(step: number, metrics: MetricColumns, isLive: boolean): RowText {
  const at = metrics.steps().indexOf(step);
  const value = (name: string): number | null => {
    const found = at < 0 ? Number.NaN : (metrics.values(name)[at] ?? Number.NaN);
    return Number.isNaN(found) ? null : found;
  };
  const label = l10n.t("Step {0}", formatCount(step + 1));
  if (at < 0) {
    if (!isLive) return row(label, [l10n.t("not completed")], ["step"], "circle-slash");
    return row(label, [l10n.t("in progress")], ["step", "running"], "loading~spin");
  }
  const examples = value("num_examples");
  if (examples !== null) {
    const loss = l10n.t("loss {0}", formatMeasure(value("loss")));
    const count = plural(examples, "{0} example", "{0} examples");
    return row(label, [loss, count], ["step"], "symbol-number");
  }
  const excluded = value("num_excluded_groups") ?? 0;
  const { all, compared } = groupCounts(value);
  const mean = formatReward(decidingPointOf(step, value)?.value ?? null);
  const trained =
    compared < all
      ? l10n.t("{0} of {1} groups", formatCount(compared), formatCount(all))
      : plural(all, "{0} group", "{0} groups");
  const said = [
    l10n.t("mean {0}", mean),
    plural(all, "{0} group", "{0} groups"),
    ...(excluded > 0 ? [l10n.t("{0} excluded", formatCount(excluded))] : []),
  ];
  return row(label, [mean, trained], ["step"], "symbol-number", said);
}

/** `step` is the number of completed steps. `evaluations` are the completed ones. */
export function evaluationRow(
  step: number,
  evaluations: readonly EvaluationEntry[],
  isLive: boolean,
): RowText {
  const own = evaluations.filter((entry) => entry.step === step);
  // The last entry per model replaces the earlier ones.
  const newest = new Map(own.map((entry) => [entry.model && plainLine(entry.model.name), entry]));
  const models = [...newest.keys()].filter((name) => name !== undefined);
  const name = models.join(", ");
  const label = name || plural(step, "After {0} step", "After {0} steps");
  const saidLabel = name || plural(step, "Evaluation after {0} step", "Evaluation after {0} steps");
  if (newest.size > 0) {
    const results = [...newest.values()].flatMap((entry) => entry.results);
    const rollouts = results.reduce((sum, result) => sum + result.rollouts, 0);
    const count = plural(rollouts, "{0} rollout", "{0} rollouts");
    const means = [...newest].map(([model, entry]) => ({
      of: newest.size > 1 && model !== undefined ? `${model} ` : "",
      rewards: entry.results.map(({ rewardMean }) => formatReward(rewardMean)).join(", "),
    }));
    const shown = [...means.map(({ of, rewards }) => `${of}${rewards}`), count];
    const said = means.map(({ of, rewards }) => `${of}${l10n.t("mean {0}", rewards)}`);
    return row(label, shown, ["evaluation"], "beaker", [...said, count], saidLabel);
  }
  const [state, words, icon] = isLive
    ? [l10n.t("in progress"), ["evaluation", "running"], "loading~spin"]
    : [l10n.t("not completed"), ["evaluation"], "circle-slash"];
  return row(label, [state], words, icon, [state], saidLabel);
}

/** `rollouts` are all ended rollouts of the group; rewards from `successReward` on count as success. */
export function groupRow(
  group: number,
  rollouts: readonly RolloutSummary[],
  successReward: number,
): RowText {
  const [first] = rollouts;
  const number = l10n.t("Group {0}", group + 1);
  const label = first === undefined ? number : taskName(first);
  const saidLabel = first === undefined ? number : taskText(first);
  const rewards = rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const { mean, min, max } = summarize(rewards);
  const isExcluded = rollouts.every(({ score }) => score?.trainingUse.startsWith("excluded:"));
  const count = plural(rollouts.length, "{0} rollout", "{0} rollouts");
  const words = ["group", ...(isExcluded ? ["excluded"] : [])];
  const isExample = first?.stop === EXAMPLE_STOP;
  const icon = isExcluded
    ? "circle-slash"
    : isExample
      ? "mortar-board"
      : groupIcon(rewards, successReward);
  const end = isExcluded ? [count, l10n.t("excluded")] : [count];
  const rowOf = (shown: readonly string[], said = shown): RowText => {
    const context = first === undefined ? [] : contextOf(first);
    return row(label, [...shown, ...context, ...end], words, icon, [...said, ...end], saidLabel);
  };
  if (first !== undefined && isExample) return rowOf([outcomeText(first)]);
  if (rewards.length === 0) return rowOf([l10n.t("no reward")]);
  if (rewards.length === 1) return rowOf([formatReward(min)]);
  if (areEqualRewards(rewards)) return rowOf([l10n.t("all {0}", formatReward(min))]);
  const range = `${formatReward(min)} … ${formatReward(max)}`;
  return rowOf([formatReward(mean), range], [l10n.t("mean {0}", formatReward(mean)), range]);
}

/** Why a run has no rows. */
export function noStepsText(file: RunFile | null, isLive: boolean): string {
  if (isLive) return l10n.t("No rollout has ended yet. They appear here as they end.");
  if (file === null) return l10n.t("The folder has no run.json and no rollouts of Tinker RL.");
  const why = file.ending === undefined ? "" : plainMessage(file.ending.message);
  switch (file.phase) {
    case "failed":
      return l10n.t("The run failed before its first rollout ended. {0}", why).trim();
    case "stopped":
      return l10n.t("The run was stopped before its first rollout ended. {0}", why).trim();
    case "done":
      return l10n.t("The run has no stored rollouts.");
    default:
      return l10n.t("The run has no stored rollouts, and its trainer has stopped.");
  }
}

/** Rewards from `successReward` on count as success. */
export function rolloutItemRow(rollout: RolloutSummary, successReward: number): RowText {
  const { reward, score, turns, tokens, stop, error } = rollout;
  const advantage = score?.advantage == null ? null : formatSigned(score.advantage);
  const end = [
    plural(turns, "{0} turn", "{0} turns"),
    l10n.t("{0} tok", formatCount(tokens)),
    stopText(stop),
  ];
  const shown = [outcomeText(rollout), ...(advantage === null ? [] : [advantage]), ...end];
  const said = [
    reward === null ? outcomeText(rollout) : l10n.t("reward {0}", formatReward(reward)),
    ...(advantage === null ? [] : [l10n.t("adv {0}", advantage)]),
    ...end,
  ];
  return row(
    `#${rollout.rollout + 1}`,
    shown,
    ["rollout", ...(error === null ? [] : ["failed"])],
    rolloutIcon(rollout, successReward),
    said,
    l10n.t("rollout {0}", rollout.rollout + 1),
  );
}

/** Shortens the most common stop reason. */
function stopText(stop: string): string {
  return stop === "reached_terminal_state"
    ? l10n.t("finished")
    : plainLine(stop.replaceAll("_", " "));
}

/** Why a rollout or its group was excluded from the update, as a sentence; null if it was trained. */
export function trainingUseText({ score, source }: RolloutSummary): string | null {
  if (source === "evaluation") return null;
  if (score === null) return l10n.t("Not scored yet: the step is in progress.");
  if (!score.trainingUse.startsWith("excluded:")) return null;
  const why = plainLine(score.trainingUse.slice("excluded:".length).replaceAll(/[-_]/g, " "));
  return l10n.t("Not trained on: {0}.", why);
}

function shortName({ environment }: RolloutSummary): string {
  return plainLine(environment.slice(environment.lastIndexOf("/") + 1));
}

function taskName(rollout: RolloutSummary): string {
  return `${shortName(rollout)} ${rollout.index}`;
}

/** Split, temperature and model, which neighboring groups usually share. */
function contextOf({ split, temperature, model }: RolloutSummary): readonly string[] {
  return [
    plainLine(split),
    ...(temperature === null ? [] : [formatTemperature(temperature)]),
    ...(model === undefined ? [] : [plainLine(model)]),
  ];
}

function taskText(rollout: RolloutSummary): string {
  const [split = "", ...sampling] = contextOf(rollout);
  return [`${shortName(rollout)} ${split} ${rollout.index}`, ...sampling].join(", ");
}

function groupIcon(rewards: readonly number[], successReward: number): string {
  const [reward] = rewards;
  if (reward === undefined) return "error";
  if (!areEqualRewards(rewards)) return "pie-chart";
  return isSuccess({ reward }, successReward) ? "pass" : "circle-outline";
}

function rolloutIcon(rollout: RolloutSummary, successReward: number): string {
  if (rollout.reward === null) return isFailedOutcome(rollout) ? "error" : "mortar-board";
  if (rollout.stop !== "reached_terminal_state") return "warning";
  return isSuccess(rollout, successReward) ? "pass" : "circle-large-outline";
}

/** `shown` starts with the most important part, because a narrow side bar cuts off the rest; `said` is the text for screen readers. */
function row(
  label: string,
  shown: readonly string[],
  words: readonly string[],
  icon: string,
  said = shown,
  saidLabel = label,
): RowText {
  return {
    label,
    description: shown.join(" · "),
    spoken: [saidLabel, ...said].join(", "),
    icon,
    color: null,
    context: words.join("+"),
  };
}
