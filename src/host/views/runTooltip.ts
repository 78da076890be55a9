/** The long text about a run, shown when the pointer rests on its row. */

import * as vscode from "vscode";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatReward,
  plural,
} from "../../shared/format.ts";
import { phaseTexts } from "../../shared/phaseTexts.ts";
import type { RunEntry } from "../runs/runStore.ts";
import { plainLine, plainMessage } from "../vscode/plainText.ts";

/** Names come from files and are shown as text: nothing in them works as markup. `alarms` are those that fire. */
export function runTooltip(run: RunEntry, alarms: readonly string[] = []): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.supportThemeIcons = true;
  text.appendMarkdown("**").appendText(run.name).appendMarkdown("**  \n");
  for (const [name, value] of facts(run)) {
    text.appendMarkdown(`${name}: `).appendText(value).appendMarkdown("  \n");
  }
  if (run.problem !== null) {
    text.appendMarkdown("$(warning) ").appendText(plainMessage(run.problem)).appendMarkdown("  \n");
  }
  for (const alarm of alarms) {
    text.appendMarkdown("$(warning) ").appendText(alarm).appendMarkdown("  \n");
  }
  return text;
}

function endingFacts({ file, phase }: RunEntry): readonly (readonly [string, string])[] {
  if (file?.ending === undefined || (phase !== "failed" && phase !== "stopped")) return [];
  return [
    [vscode.l10n.t("Reason"), plainMessage(file.ending.message)],
    [vscode.l10n.t("Code"), plainLine(file.ending.code)],
  ];
}

function usedFacts({ used }: RunEntry): readonly (readonly [string, string])[] {
  if (used === null) return [];
  const tokens = plural(used.tokens, "{0} token", "{0} tokens");
  const cost = used.costUsd === null ? [] : [formatCost(used.costUsd)];
  return [[vscode.l10n.t("Used"), [...cost, tokens].join(", ")]];
}

function facts(run: RunEntry): readonly (readonly [string, string])[] {
  const { file, startedAtMs, steps, totalSteps, reward, repeats, phase, isLive, folder } = run;
  const { expiry } = run;
  const rows: (readonly [string, string])[] = [
    [vscode.l10n.t("State"), phaseTexts()[phase]],
    ...endingFacts(run),
    [
      vscode.l10n.t("Completed steps"),
      totalSteps === null
        ? formatCount(steps)
        : vscode.l10n.t("{0} of {1}", formatCount(steps), formatCount(totalSteps)),
    ],
    [vscode.l10n.t("Mean reward"), formatReward(reward)],
    ...usedFacts(run),
  ];
  if (startedAtMs !== null) {
    rows.push([
      vscode.l10n.t("Started"),
      new Date(startedAtMs).toLocaleString(vscode.env.language),
    ]);
    if (isLive) {
      rows.push([vscode.l10n.t("Running for"), formatDuration((Date.now() - startedAtMs) / 1000)]);
    }
  }
  if (file?.sweep !== undefined) {
    rows.push([vscode.l10n.t("Sweep"), plainLine(file.sweep.name)]);
    rows.push([vscode.l10n.t("Settings"), plainLine(file.sweep.settings.join(" "))]);
  }
  if (file !== null && file.attempt > 1) rows.push([vscode.l10n.t("Attempt"), `${file.attempt}`]);
  if (file !== null) rows.push([vscode.l10n.t("Started from"), file.owner]);
  if (!isLive && repeats !== null && repeats > 0) {
    rows.push([vscode.l10n.t("A resume repeats"), plural(repeats, "{0} step", "{0} steps")]);
  }
  if (!isLive && expiry !== null) {
    const at = new Date(expiry.atMs).toLocaleString(vscode.env.language);
    const then =
      expiry.repeats === null
        ? vscode.l10n.t("{0}; after that, nothing is left to go on from", at)
        : plural(
            expiry.repeats,
            "{1}; after that, a resume repeats {0} step",
            "{1}; after that, a resume repeats {0} steps",
            at,
          );
    rows.push([vscode.l10n.t("Last state expires"), then]);
  }
  rows.push([vscode.l10n.t("Folder"), folder]);
  return rows;
}
