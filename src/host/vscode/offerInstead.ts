/** A command's message that it has nothing to act on, with an alternative command. */

import * as vscode from "vscode";
import { plainWindow } from "./plainWindow.ts";

export interface Offer {
  readonly label: string;
  /** Full command id. */
  readonly command: string;
}

/** Alternatives if there are no runs yet. */
export function offersToTrain(): readonly Offer[] {
  return [
    { label: vscode.l10n.t("Start Training"), command: "tinkerRL.startTraining" },
    { label: vscode.l10n.t("Start Local Demo"), command: "tinkerRL.startLocalDemo" },
  ];
}

export function offerInstead(text: string, offers: readonly Offer[]): Promise<void> {
  const buttons = offers.map(
    ({ label, command }) => [label, () => vscode.commands.executeCommand(command)] as const,
  );
  return plainWindow.offer("Information", text, buttons);
}

/** For a configuration command if there is no configuration. */
export function offerToCreate(): Promise<void> {
  return offerInstead(vscode.l10n.t("There is no configuration in this workspace."), [
    offerNewConfig(),
    { label: vscode.l10n.t("Try the Local Demo"), command: "tinkerRL.startLocalDemo" },
  ]);
}

export function offerNewConfig(): Offer {
  return { label: vscode.l10n.t("New Configuration…"), command: "tinkerRL.newConfig" };
}

export function showRuns(): Offer {
  return { label: vscode.l10n.t("Show Runs"), command: "tinkerRL.runs.focus" };
}

export function showEnvironments(): Offer {
  return {
    label: vscode.l10n.t("Show Environments"),
    command: "tinkerRL.environments.focus",
  };
}
