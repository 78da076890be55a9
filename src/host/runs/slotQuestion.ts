/** Asks what to do when a run is under way and another one is to start. */

import * as vscode from "vscode";
import type { SlotChoice } from "./runSlots.ts";

export async function askForSlot(
  title: string,
  running: readonly string[],
): Promise<SlotChoice | undefined> {
  const others = running.join(", ");
  const items: readonly (vscode.QuickPickItem & { readonly choice: SlotChoice })[] = [
    {
      label: vscode.l10n.t("$(watch) Queue"),
      detail: vscode.l10n.t("It starts when a run has ended."),
      choice: "queue",
    },
    {
      label: vscode.l10n.t("$(split-horizontal) Run in Parallel"),
      detail: vscode.l10n.t("Both go on at once; local runs share this machine's processors."),
      choice: "parallel",
    },
    {
      label: vscode.l10n.t("$(debug-stop) Stop and Save the First"),
      detail: vscode.l10n.t("{0} is saved and ends, then this one starts.", others),
      choice: "stop first",
    },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Start {0}", title),
    placeHolder: vscode.l10n.t("{0} is under way.", others),
    ignoreFocusOut: true,
  });
  return picked?.choice;
}
