/** Asks what to do when a run is in progress and another one is about to start. */

import * as vscode from "vscode";
import { type PlainItem, plainWindow } from "../vscode/plainWindow.ts";
import type { SlotChoice } from "./runSlots.ts";

export async function askForSlot(
  title: string,
  running: readonly string[],
): Promise<SlotChoice | undefined> {
  const [first = ""] = running;
  const items: readonly (PlainItem & { readonly choice: SlotChoice })[] = [
    {
      icon: "watch",
      label: vscode.l10n.t("Queue"),
      detail: vscode.l10n.t("It starts when a run ends, while this window is open."),
      choice: "queue",
    },
    {
      icon: "split-horizontal",
      label: vscode.l10n.t("Run in Parallel"),
      detail: vscode.l10n.t(
        "All run at the same time; local runs share the processors of this computer.",
      ),
      choice: "parallel",
    },
    {
      icon: "debug-stop",
      label: vscode.l10n.t("Stop and Save the First"),
      detail: vscode.l10n.t("{0} saves and ends, then this one starts.", first),
      choice: "stop first",
    },
  ];
  const picked = await plainWindow.showQuickPick(items, {
    title: vscode.l10n.t("Start: {0}", title),
    placeHolder: vscode.l10n.t("Running: {0}", running.join(", ")),
    ignoreFocusOut: true,
  });
  return picked?.choice;
}
