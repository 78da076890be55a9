/** The tooltip of a run's row. */

import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import { ALARMS } from "../../core/alarms/alarmTable.ts";
import type { AlarmId } from "../../core/config/fields/schema.ts";
import { runSentence } from "../../core/runs/runSentence.ts";
import { repeatedSteps } from "../../core/runs/runWords.ts";
import { plainLine, plainMessage } from "../../core/util/plainText.ts";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatReward,
  plural,
} from "../../shared/format.ts";
import { endedEarly } from "../../shared/hasEnded.ts";
import { phaseTexts } from "../../shared/phaseTexts.ts";
import { stageOf } from "../../shared/runFile.ts";
import { evaluationText, unsent } from "./runRow.ts";

/** Names come from files, so they are appended as plain text without markup. `alarms` are the firing ones. */
export function runTooltip(run: RunEntry, alarms: readonly AlarmId[] = []): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.supportThemeIcons = true;
  text.appendMarkdown("**").appendText(run.name).appendMarkdown("**  \n");
  const sentence = runSentence(run);
  if (sentence !== null) text.appendText(sentence).appendMarkdown("  \n");
  for (const [name, value] of facts(run)) {
    text.appendMarkdown(`${name}: `).appendText(value).appendMarkdown("  \n");
  }
  if (run.problem !== null) {
    text.appendMarkdown("$(warning) ").appendText(plainMessage(run.problem)).appendMarkdown("  \n");
  }
  for (const alarm of alarms) {
    text.appendMarkdown("$(warning) ").appendText(ALARMS[alarm].title).appendMarkdown("  \n");
  }
  return text;
}

function endingFacts({ file, phase }: RunEntry): readonly Fact[] {
  if (file?.ending === undefined || !endedEarly(phase)) return [];
  return [
    [vscode.l10n.t("Reason"), plainMessage(file.ending.message)],
    [vscode.l10n.t("Code"), plainLine(file.ending.code)],
  ];
}

function usedFacts({ used }: RunEntry): readonly Fact[] {
  if (used === null) return [];
  const tokens = plural(used.tokens, "{0} token", "{0} tokens");
  const cost = used.costUsd === null ? [] : [formatCost(used.costUsd)];
  return [[vscode.l10n.t("Used"), [...cost, tokens].join(", ")]];
}

type Fact = readonly [name: string, value: string];

function timeFacts({ startedAtMs, isLive }: RunEntry): readonly Fact[] {
  if (startedAtMs === null) return [];
  const started = new Date(startedAtMs).toLocaleString(vscode.env.language);
  const forS = (Date.now() - startedAtMs) / 1000;
  return [
    [vscode.l10n.t("Started"), started],
    ...(isLive ? [[vscode.l10n.t("Running for"), formatDuration(forS)] as const] : []),
  ];
}

function fileFacts({ file }: RunEntry): readonly Fact[] {
  if (file === null) return [];
  const { sweep, evaluation, attempt, owner } = file;
  const rows: Fact[] = [];
  if (sweep !== undefined) {
    const stage = stageOf(sweep);
    const group = stage === null ? vscode.l10n.t("Sweep") : vscode.l10n.t("Stages");
    rows.push([group, plainLine(sweep.name)]);
    rows.push(
      stage === null
        ? [vscode.l10n.t("Settings"), plainLine(sweep.settings.join(" "))]
        : [vscode.l10n.t("Stage"), plainLine(stage)],
    );
  }
  if (evaluation !== undefined) {
    rows.push([vscode.l10n.t("Evaluates"), evaluationText(evaluation.models.length)]);
  }
  if (attempt > 1) rows.push([vscode.l10n.t("Attempt"), `${attempt}`]);
  rows.push([vscode.l10n.t("Started from"), owner]);
  return rows;
}

function facts(run: RunEntry): readonly Fact[] {
  const { steps, totalSteps, reward, phase, isLive, folder, expiry } = run;
  const rows: Fact[] = [
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
  rows.push(...timeFacts(run));
  rows.push(...fileFacts(run));
  const repeats = repeatedSteps(run);
  if (!isLive && repeats > 0) {
    rows.push([vscode.l10n.t("A resume repeats"), plural(repeats, "{0} step", "{0} steps")]);
  }
  if (!isLive && expiry !== null) {
    const at = new Date(expiry.atMs).toLocaleString(vscode.env.language);
    const then =
      expiry.repeats === null
        ? vscode.l10n.t("{0}; after that, nothing is left to resume from", at)
        : plural(
            expiry.repeats,
            "{1}; after that, a resume repeats {0} step",
            "{1}; after that, a resume repeats {0} steps",
            at,
          );
    rows.push([vscode.l10n.t("Last state expires"), then]);
  }
  const left = unsent(run);
  if (left.length > 0) rows.push([vscode.l10n.t("Not sent yet"), left.join(", ")]);
  rows.push([vscode.l10n.t("Folder"), folder]);
  return rows;
}
