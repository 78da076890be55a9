/** Chooses, saves and validates the configuration of a command that starts something. */

import * as vscode from "vscode";
import { parseConfig } from "../../core/config/parse.ts";
import { isOfConfig } from "../../node/runFolder.ts";
import { plural } from "../../shared/format.ts";
import { chooseConfig } from "../config/chooseConfig.ts";
import type { RunList } from "../runs/runList.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { settingOverrides } from "../vscode/settings.ts";

/** Like {@link chooseConfig}, but saves the file first. Undefined if it is not saved, or has errors; Problems then shows them. */
export async function chooseValidConfig(
  store: Pick<RunList, "runs">,
  target: unknown,
): Promise<vscode.Uri | undefined> {
  const chosen = await chooseConfig(target, (config) => lastRunText(store, config));
  if (chosen === undefined) return undefined;
  const document = await vscode.workspace.openTextDocument(chosen);
  const saved = document.isDirty ? await save(document) : chosen;
  if (saved === undefined) return undefined;
  return (await isValid(saved)) ? saved : undefined;
}

/** The state of a configuration's newest run. */
export function lastRunText({ runs }: Pick<RunList, "runs">, config: vscode.Uri): string {
  const last = runs.find((run) => isOfConfig(run, config.fsPath));
  return last === undefined ? "" : vscode.l10n.t("last run: {0}", last.phase);
}

/** The saved file's URI, with its name if it is new; undefined if it could not be written, which the editor explains. */
async function save(document: vscode.TextDocument): Promise<vscode.Uri | undefined> {
  if (document.isUntitled) return vscode.workspace.save(document.uri);
  return (await document.save()) ? document.uri : undefined;
}

/** A configuration as the editor has it, with the overrides of the setting. */
export async function parsedConfig(config: vscode.Uri) {
  const document = await vscode.workspace.openTextDocument(config);
  const options = { path: document.fileName, overrides: settingOverrides(config) };
  return { document, result: parseConfig(document.getText(), options) };
}

async function isValid(config: vscode.Uri): Promise<boolean> {
  const { document, result } = await parsedConfig(config);
  if (result.ok) return true;
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand("workbench.actions.view.problems");
  const count = result.problems.filter(({ severity }) => severity === "error").length;
  plainWindow.setStatusBarMessage(
    plural(
      count,
      "Not started: the configuration has {0} error.",
      "Not started: the configuration has {0} errors.",
    ),
    { icon: "error" },
  );
  return false;
}
