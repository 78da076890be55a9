/** Applies an alarm's suggestion to its run's configuration and, if the user wants, to the live run. */

import { basename } from "node:path";
import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import type { FiringAlarm } from "../../core/alarms/alarmEvents.ts";
import { editSetting, editsChange, editText } from "../../core/alarms/formatSettingChange.ts";
import { checkText } from "../../core/config/check.ts";
import { suggestedPlace, suggestionEdits } from "../../core/config/editing/edits/suggestion.ts";
import { AppError } from "../../core/errors.ts";
import { isConfigDocument } from "../config/configFiles.ts";
import { rangeAt } from "../config/rangeAt.ts";
import { applyTextEdits } from "../config/textEdits.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { RunList } from "./runList.ts";
import { stageOfRun } from "./stageOfRun.ts";

/** Leaves the document unsaved, like a quick fix. @throws AppError `no-config`, or Error if the file is invalid */
export async function applyAlarm(
  store: RunList,
  folder: string,
  { edits }: FiringAlarm,
): Promise<void> {
  const run = store.get(folder);
  const configPath = configPathOf(run);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(configPath));
  const before = document.getText();
  // The path comes from the run folder, which may come from anyone.
  const isWhole = checkText(before, { path: configPath }).config !== null;
  if (!isConfigDocument(document) && !isWhole) {
    throw new AppError("no-config", `${basename(configPath)} is no longer a configuration.`);
  }
  const stage = run === null ? null : await stageOfRun(run);
  const options = { path: configPath, stage };
  const changes = suggestionEdits(before, edits, options);
  if (changes === null || changes.length > 0) await applyTextEdits(document, changes);
  const place = suggestedPlace(document.getText(), edits[0]?.path ?? [], options);
  const selection = rangeAt(document, place, "value");
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One, selection });
  await offerForRun(store, run, { edits, name: basename(configPath) });
}

/** @throws AppError `no-config` */
export function configPathOf(run: RunEntry | null): string {
  if (run?.file != null) return run.file.configPath;
  throw new AppError("no-config", "The run does not say which configuration it was started with.");
}

/** Offers to also change the setting in the live run, which does not reread the file. */
async function offerForRun(
  store: RunList,
  run: RunEntry | null,
  { edits, name }: Pick<FiringAlarm, "edits"> & { readonly name: string },
): Promise<void> {
  const settings = edits.map(editText).join(", ");
  if (run?.isLive !== true || editsChange(edits) !== "tunable") {
    const text = vscode.l10n.t("{0} now has {1}. It applies from the next run on.", name, settings);
    plainWindow.setStatusBarMessage(text);
    return;
  }
  const change = vscode.l10n.t("Change This Run");
  const text = vscode.l10n.t(
    "{0} now has {1}. You can apply it to the current run from its next step on.",
    ...[name, settings],
  );
  const chosen = await plainWindow.showInformationMessage(text, change);
  if (chosen !== change) return;
  const request = { action: "change-settings" as const, settings: edits.map(editSetting) };
  const message = await store.send(run.folder, request);
  plainWindow.setStatusBarMessage(`${run.name}: ${message}`);
}
