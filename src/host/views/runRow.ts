/** The content of a run's row in the Runs view: text, icon and screen reader label. */

import * as l10n from "@vscode/l10n";
import type { RunEntry } from "../../api/runs.ts";
import { ALARMS } from "../../core/alarms/alarmTable.ts";
import { runSentence } from "../../core/runs/runSentence.ts";
import { isResumable, repeatedSteps, runWords } from "../../core/runs/runWords.ts";
import { plainLine } from "../../core/util/plainText.ts";
import { formatCount, formatDuration, formatReward, plural } from "../../shared/format.ts";
import { phaseTexts } from "../../shared/phaseTexts.ts";
import type { RowText } from "../../shared/rowText.ts";
import { trendArrow } from "../../shared/trendText.ts";

type Phase = RunEntry["phase"];

const ICONS: Readonly<Record<Phase, readonly [icon: string, color: string | null]>> = {
  preparing: ["loading~spin", null],
  running: ["sync~spin", "charts.blue"],
  pausing: ["sync~spin", "charts.blue"],
  paused: ["debug-pause", "charts.yellow"],
  finishing: ["loading~spin", null],
  done: ["pass", "testing.iconPassed"],
  failed: ["error", "testing.iconFailed"],
  stopped: ["circle-slash", null],
  dropped: ["circle-slash", null],
  interrupted: ["warning", "list.warningForeground"],
  unreadable: ["question", null],
  foreign: ["graph-line", null],
};

export interface RunRowOptions {
  /** At most one row has a spinning icon. */
  readonly isSpinning: boolean;
  readonly isArchived: boolean;
  /** The run's workspace folder, if there are several. */
  readonly place?: string | null;
}

export function runRow(
  run: RunEntry,
  { isSpinning, isArchived, place = null }: RunRowOptions,
): RowText {
  const label = plainLine(run.name);
  const placed = place === null ? [] : [plainLine(place)];
  const [icon, color] = iconOf(run);
  const archived = isArchived ? [l10n.t("archived")] : [];
  const damaged = run.problem !== null && run.phase !== "unreadable" ? [l10n.t("damaged")] : [];
  const alarms = run.alarms.length === 0 ? [] : [alarmText(run.alarms.length)];
  const details = [...placed, ...alarms, ...detailsOf(run), ...damaged, ...archived];
  return {
    label,
    description: details.join(" · "),
    spoken: [
      ...[l10n.t("run {0}", label), ...placed, ...archived],
      ...[...spokenOf(run), ...damaged],
    ].join(", "),
    icon: isSpinning ? icon : icon.replace("~spin", ""),
    color,
    context: [...runWords(run, Date.now()), ...(isArchived ? ["archived"] : [])].join("+"),
  };
}

/** A failure is more serious than the alarms before it. */
function iconOf({ phase, alarms }: RunEntry): readonly [icon: string, color: string | null] {
  const [icon, color] = ICONS[phase];
  if (alarms.length === 0 || phase === "failed") return [icon, color];
  return [phase === "done" || phase === "stopped" ? "warning" : icon, "list.warningForeground"];
}

/**
 * With a typical side bar width, a row shows about 25 characters: first the state if the user is needed, otherwise the reward. The tooltip
 * has everything.
 */
function detailsOf(run: RunEntry): readonly string[] {
  const { phase, steps, reward, status } = run;
  const models = run.file?.evaluation?.models.length;
  if (models !== undefined && phase !== "preparing") return [outcome(run), evaluationText(models)];
  const last = reward === null ? [] : [formatReward(reward)];
  switch (phase) {
    case "preparing":
      return [
        status?.preparing == null
          ? l10n.t("preparing")
          : l10n.t("preparing: {0}", status.preparing),
      ];
    case "running":
      return [...withArrow(run, last), progress(run)];
    case "pausing":
      return [l10n.t("pausing after step {0}", formatCount(steps + 1)), ...last];
    case "paused":
      return [phaseTexts()[phase], progress(run), ...last];
    case "finishing":
      return [...last, progress(run), phaseTexts()[phase]];
    case "unreadable":
      return [l10n.t("damaged, or from another version")];
    case "foreign":
    case "done":
      return [...last, plural(steps, "{0} step", "{0} steps"), outcome(run), ...unsent(run)];
    case "failed":
    case "interrupted":
      return [outcome(run), progress(run), ...last, ...resumeCost(run)];
    case "stopped":
    case "dropped":
      return [...last, progress(run), outcome(run), ...resumeCost(run)];
  }
}

export function alarmText(alarms: number): string {
  return plural(alarms, "{0} alarm", "{0} alarms");
}

export function evaluationText(models: number): string {
  return plural(models, "evaluation of {0} model", "evaluation of {0} models");
}

/** How it ended and why. */
function outcome({ phase, file }: RunEntry): string {
  const ending = file?.ending;
  if (ending === undefined || phase === "dropped") return phaseTexts()[phase];
  if (phase === "failed") return l10n.t("failed: {0}", plainLine(ending.message));
  const ended = earlyEnds().get(ending.code);
  return ended === undefined ? phaseTexts()[phase] : `${phaseTexts()[phase]}, ${ended}`;
}

/** Reasons for ending before the plan was complete, by code. */
function earlyEnds(): ReadonlyMap<string, string> {
  return new Map([
    ["cost-budget", l10n.t("max_cost_usd is used up")],
    ["token-budget", l10n.t("max_tokens_total is used up")],
    ["time-budget", l10n.t("max_hours is used up")],
    ["stop-at-step", l10n.t("at stop_at_step")],
    ["target-reached", l10n.t("target_reward is reached")],
    ["no-progress", l10n.t("no progress any more")],
  ]);
}

function spokenOf(run: RunEntry): readonly string[] {
  const { steps, totalSteps, reward, alarms, file } = run;
  const sentence = runSentence(run);
  if (file?.evaluation !== undefined) {
    return [outcome(run), evaluationText(file.evaluation.models.length)];
  }
  return [
    outcome(run),
    totalSteps === null
      ? l10n.t("step {0}", formatCount(steps))
      : l10n.t("step {0} of {1}", formatCount(steps), formatCount(totalSteps)),
    ...(reward === null ? [] : [l10n.t("mean reward {0}", formatReward(reward))]),
    ...(sentence === null ? [] : [sentence]),
    ...alarms.map((id) => l10n.t("alarm: {0}", ALARMS[id].title)),
    ...(isResumable(run)
      ? [l10n.t("can be resumed, {0}", resumeCost(run).join(", ") || l10n.t("repeats no steps"))]
      : []),
  ];
}

function progress({ steps, totalSteps }: RunEntry): string {
  return totalSteps === null
    ? l10n.t("step {0}", formatCount(steps))
    : `${formatCount(steps)}/${formatCount(totalSteps)}`;
}

function withArrow({ trend }: RunEntry, last: readonly string[]): readonly string[] {
  return trend === null ? last : last.map((text) => text + trendArrow(trend));
}

function resumeCost(run: RunEntry): readonly string[] {
  const repeats = repeatedSteps(run);
  const { expiry } = run;
  const left = expiry === null ? null : formatDuration((expiry.atMs - Date.now()) / 1000);
  return [
    ...(repeats === 0 ? [] : [plural(repeats, "repeats {0} step", "repeats {0} steps")]),
    ...(left === null ? [] : [l10n.t("last state expires in {0}", left)]),
  ];
}

/** What resuming a finished run would send. */
export function unsent({
  pendingReports: { rollouts, rows, isSummaryMissing },
}: RunEntry): readonly string[] {
  return [
    ...(rollouts === 0
      ? []
      : [plural(rollouts, "{0} rollout to upload", "{0} rollouts to upload")]),
    ...(rows === 0
      ? []
      : [plural(rows, "{0} row for Weights & Biases", "{0} rows for Weights & Biases")]),
    ...(isSummaryMissing ? [l10n.t("summary for Weights & Biases")] : []),
  ];
}
