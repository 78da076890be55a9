/** Rows of the Trajectories view as the editor's tree takes them. */

import * as vscode from "vscode";
import type { RolloutSummary } from "../../core/runFolder/reader.ts";
import { plainLine } from "../../core/util/plainText.ts";
import type { RowText } from "./runRow.ts";
import { rolloutItemRow, trainingUseText } from "./trajectoryRows.ts";

export function rolloutItem(summary: RolloutSummary, successReward: number): vscode.TreeItem {
  const item = itemOf(rolloutItemRow(summary, successReward), vscode.TreeItemCollapsibleState.None);
  const { error } = summary;
  const reasons = [trainingUseText(summary), error === null ? null : plainLine(error)];
  item.tooltip = [item.tooltip, ...reasons].filter((line) => line !== null).join("\n");
  item.command = {
    command: "tinkerRL.openSelectedRollout",
    title: vscode.l10n.t("Open Rollout"),
  };
  return item;
}

export function moreItem(count: number): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t("Show More Steps"));
  item.description = vscode.l10n.t("{0} older", count);
  item.iconPath = new vscode.ThemeIcon("ellipsis");
  item.command = { command: "tinkerRL.showMoreSteps", title: vscode.l10n.t("Show More Steps") };
  return item;
}

export function itemOf(text: RowText, state: vscode.TreeItemCollapsibleState): vscode.TreeItem {
  const item = new vscode.TreeItem(text.label, state);
  item.description = text.description;
  item.tooltip = text.spoken;
  item.contextValue = text.context;
  item.accessibilityInformation = { label: text.spoken };
  item.iconPath = new vscode.ThemeIcon(text.icon);
  return item;
}
