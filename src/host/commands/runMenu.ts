/** The menu of the status bar item. */

import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import { isResumable } from "../../core/runs/runWords.ts";
import { type CommandId, commandName } from "../manifest/commandTable.ts";
import type { RunList } from "../runs/runList.ts";
import { type PlainItem, plainWindow } from "../vscode/plainWindow.ts";
import { folderOf } from "./chooseRun.ts";

interface Choice extends PlainItem {
  readonly command: CommandId;
}

/** Shows actions for the run in the status bar item and carries out the chosen one; without `target`, for a live run or else the newest. */
export async function showRunMenu(store: RunList, target: unknown): Promise<void> {
  const shown = store.get(folderOf(target) ?? "");
  const run = shown ?? store.runs.find(({ isLive }) => isLive) ?? store.runs[0];
  if (run === undefined) return;
  const picked = await plainWindow.showQuickPick(choicesFor(run), { placeHolder: run.name });
  if (picked === undefined) return;
  await vscode.commands.executeCommand(commandName(picked.command), { folder: run.folder });
}

function choicesFor(run: RunEntry): readonly Choice[] {
  const choice = (command: CommandId, icon: string, label: string): Choice => ({
    command,
    icon,
    label,
  });
  const open = choice("openDashboard", "graph-line", vscode.l10n.t("Open Dashboard"));
  const log = choice("openRunLog", "output", vscode.l10n.t("Show Run Log"));
  if (!run.isLive) {
    const resume = choice("resumeRun", "debug-rerun", vscode.l10n.t("Resume Run"));
    return [open, ...(isResumable(run) ? [resume] : []), log];
  }
  const isPaused = run.phase === "paused" || run.phase === "pausing";
  return [
    open,
    isPaused
      ? choice("continueRun", "debug-continue", vscode.l10n.t("Continue Run"))
      : choice("pauseRun", "debug-pause", vscode.l10n.t("Pause After This Step")),
    choice("saveCheckpointNow", "save", vscode.l10n.t("Save Checkpoint Now")),
    choice("changeRunSettings", "settings", vscode.l10n.t("Change Settings of Running Run…")),
    choice("stopRun", "debug-stop", vscode.l10n.t("Stop and Save")),
    log,
  ];
}
