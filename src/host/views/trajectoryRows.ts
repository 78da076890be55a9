/** What the rows of the Trajectories view say about a step, a group and a rollout. */

import type { EvaluationEntry } from "../../core/runFolder/evaluationLog.ts";
import type { MetricColumns } from "../../core/runFolder/metricColumns.ts";
import type { RolloutSummary } from "../../core/runFolder/reader.ts";
import { summarize } from "../../core/util/stats.ts";
import {
  formatCount,
  formatReward,
  formatSigned,
  formatTemperature,
  plural,
} from "../../shared/format.ts";
import { l10n } from "../../shared/l10n.ts";
import type { RunFile } from "../../shared/runFile.ts";
import { plainLine, plainMessage } from "../vscode/plainText.ts";
import type { RowText } from "./runRow.ts";

/** A reward from here on counts as a success. */
const SUCCESS = 1;

/** Steps count from 0 here and from 1 in the text. `isLive`: a trainer is at work on the run. */
export function stepRow(step: number, metrics: MetricColumns, isLive: boolean): RowText {
  const at = metrics.steps().indexOf(step);
  const value = (name: string): number | null => {
    const found = at < 0 ? Number.NaN : (metrics.values(name)[at] ?? Number.NaN);
    return Number.isNaN(found) ? null : found;
  };
  const label = l10n.t("Step {0}", formatCount(step + 1));
  if (at < 0) {
    if (!isLive) return row(label, [l10n.t("not completed")], ["step"], "circle-slash");
    return row(label, [l10n.t("under way")], ["step", "running"], "loading~spin");
  }
  const excluded = value("num_excluded_groups") ?? 0;
  const groups = (value("num_groups") ?? 0) + excluded;
  const details = [
    l10n.t("mean {0}", formatReward(value("rollout/reward/mean"))),
    plural(groups, "{0} group", "{0} groups"),
    ...(excluded > 0 ? [l10n.t("{0} excluded", formatCount(excluded))] : []),
  ];
  return row(label, details, ["step"], "symbol-number");
}

/** `step` = completed steps. `evaluations` are those that were completed. */
export function evaluationRow(
  step: number,
  evaluations: readonly EvaluationEntry[],
  isLive: boolean,
): RowText {
  const label = plural(step, "Evaluation after {0} step", "Evaluation after {0} steps");
  const results = evaluations.findLast((entry) => entry.step === step)?.results;
  if (results !== undefined) {
    const rewards = results.map(({ rewardMean }) => formatReward(rewardMean)).join(", ");
    const rollouts = results.reduce((sum, result) => sum + result.rollouts, 0);
    const details = [l10n.t("mean {0}", rewards), plural(rollouts, "{0} rollout", "{0} rollouts")];
    return row(label, details, ["evaluation"], "beaker");
  }
  if (!isLive) return row(label, [l10n.t("not completed")], ["evaluation"], "circle-slash");
  return row(label, [l10n.t("under way")], ["evaluation", "running"], "loading~spin");
}

/** `rollouts` are all of the group that have ended. */
export function groupRow(group: number, rollouts: readonly RolloutSummary[]): RowText {
  const [first] = rollouts;
  const label = first === undefined ? l10n.t("Group {0}", group + 1) : taskText(first);
  const rewards = rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const { min, max, std } = summarize(rewards);
  const isExcluded = rollouts.every(({ score }) => score !== null && score.advantage === null);
  const details =
    rewards.length === 0
      ? [l10n.t("no reward"), plural(rollouts.length, "{0} rollout", "{0} rollouts")]
      : [
          min === max
            ? l10n.t("all {0}", formatReward(min))
            : `${formatReward(min)} … ${formatReward(max)}`,
          ...(std === null || std === 0 ? [] : [`σ ${formatReward(std)}`]),
          plural(rollouts.length, "{0} rollout", "{0} rollouts"),
        ];
  return row(
    label,
    isExcluded ? [...details, l10n.t("excluded")] : details,
    ["group", ...(isExcluded ? ["excluded"] : [])],
    isExcluded ? "circle-slash" : groupIcon(min, max),
  );
}

/** Why a run that is looked at has no rows. */
export function noStepsText(file: RunFile | null, isLive: boolean): string {
  if (isLive) return l10n.t("No rollout has ended yet. They appear here as they end.");
  const why = file?.ending === undefined ? "" : plainMessage(file.ending.message);
  switch (file?.phase) {
    case "failed":
      return l10n.t("The run failed before its first rollout ended. {0}", why).trim();
    case "stopped":
      return l10n.t("The run was stopped before its first rollout ended. {0}", why).trim();
    case "done":
      return l10n.t("The run has no stored rollouts.");
    default:
      return l10n.t("The run has no stored rollouts, and its trainer is gone.");
  }
}

export function rolloutItemRow(rollout: RolloutSummary): RowText {
  const { reward, score, turns, tokens, stop, error } = rollout;
  const details = [
    reward === null ? l10n.t("failed") : l10n.t("reward {0}", formatReward(reward)),
    ...(score?.advantage == null ? [] : [l10n.t("adv {0}", formatSigned(score.advantage))]),
    plural(turns, "{0} turn", "{0} turns"),
    l10n.t("{0} tok", formatCount(tokens)),
    stopText(stop),
  ];
  return row(
    `#${rollout.rollout + 1}`,
    details,
    ["rollout", ...(error === null ? [] : ["failed"])],
    rolloutIcon(rollout),
    l10n.t("rollout {0}", rollout.rollout + 1),
  );
}

/** The usual end in fewer words. */
function stopText(stop: string): string {
  return stop === "reached_terminal_state"
    ? l10n.t("finished")
    : plainLine(stop.replaceAll("_", " "));
}

/** Why a rollout or its group was left out of the update, as a sentence; null when it was trained on. */
export function trainingUseText({ score, source }: RolloutSummary): string | null {
  if (source === "evaluation") return null;
  if (score === null) return l10n.t("Not scored yet: the step is under way.");
  if (!score.trainingUse.startsWith("excluded:")) return null;
  const why = plainLine(score.trainingUse.slice("excluded:".length).replaceAll(/[-_]/g, " "));
  return l10n.t("Not trained on: {0}.", why);
}

function taskText({ environment, split, index, temperature }: RolloutSummary): string {
  const short = environment.slice(environment.lastIndexOf("/") + 1);
  const task = `${plainLine(short)} ${plainLine(split)} ${index}`;
  return temperature === null ? task : `${task}, ${formatTemperature(temperature)}`;
}

function groupIcon(min: number | null, max: number | null): string {
  if (min === null || max === null) return "error";
  if (min !== max) return "pie-chart";
  return min >= SUCCESS ? "pass" : "circle-outline";
}

function rolloutIcon({ reward, stop }: RolloutSummary): string {
  if (reward === null) return "error";
  if (stop === "reached_terminal_state") return reward >= SUCCESS ? "pass" : "circle-large-outline";
  return "warning";
}

function row(
  label: string,
  details: readonly string[],
  words: readonly string[],
  icon: string,
  spokenLabel = label,
): RowText {
  return {
    label,
    description: details.join(" · "),
    spoken: [spokenLabel, ...details].join(", "),
    icon,
    color: null,
    context: words.join("+"),
  };
}
