/** A command's message that it has nothing to act on, with other commands. */

import * as vscode from "vscode";
import type { ViewId } from "../manifest/commandRow.ts";
import { type CommandId, commandName } from "../manifest/commandTable.ts";
import { type Button, plainWindow } from "./plainWindow.ts";

export function offerInstead(text: string, buttons: readonly Button[] = []): Promise<void> {
  return plainWindow.offer("Information", text, buttons);
}

/** Alternatives if there are no runs yet. */
export function offersToTrain(): readonly Button[] {
  return [
    offerCommand(vscode.l10n.t("Start Training"), "startTraining"),
    offerCommand(vscode.l10n.t("Start Local Demo"), "startLocalDemo"),
  ];
}

/** For a configuration command if there is no configuration. */
export function offerToCreate(): Promise<void> {
  return offerInstead(vscode.l10n.t("There is no configuration in this workspace."), [
    offerNewConfig(),
    offerCommand(vscode.l10n.t("Try the Local Demo"), "startLocalDemo"),
  ]);
}

export function offerNewConfig(): Button {
  return offerCommand(vscode.l10n.t("New Configuration…"), "newConfig");
}

export function showRuns(): Button {
  return show(vscode.l10n.t("Show Runs"), "runs");
}

export function showEnvironments(): Button {
  return show(vscode.l10n.t("Show Environments"), "environments");
}

export function showTrajectories(): Button {
  return show(vscode.l10n.t("Show Trajectories"), "trajectories");
}

function offerCommand(label: string, id: CommandId): Button {
  return [label, () => vscode.commands.executeCommand(commandName(id))];
}

function show(label: string, view: ViewId): Button {
  return [label, () => vscode.commands.executeCommand(`tinkerRL.${view}.focus`)];
}
