/** The message of a command that has nothing to act on, with a command that would help. */

import * as vscode from "vscode";
import { plainWindow } from "../vscode/plainWindow.ts";

export interface Offer {
  readonly label: string;
  /** Full name of a command. */
  readonly command: string;
}

/** What helps where there are no runs yet. */
export function offersToTrain(): readonly Offer[] {
  return [
    { label: vscode.l10n.t("Start Training"), command: "tinkerRL.startTraining" },
    { label: vscode.l10n.t("Start Local Demo"), command: "tinkerRL.startLocalDemo" },
  ];
}

export async function offerInstead(text: string, offers: readonly Offer[]): Promise<void> {
  const labels = offers.map(({ label }) => label);
  const chosen = await plainWindow.showInformationMessage(text, ...labels);
  const offer = offers.find(({ label }) => label === chosen);
  if (offer !== undefined) await vscode.commands.executeCommand(offer.command);
}

export function showEnvironments(): Offer {
  return {
    label: vscode.l10n.t("Show Environments"),
    command: "tinkerRL.environments.focus",
  };
}
