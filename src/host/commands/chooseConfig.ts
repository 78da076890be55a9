/** Which configuration a command is about: the file it was called on, the one in the editor, the only one, or the user's pick. */

import * as vscode from "vscode";
import { parseConfig } from "../../core/config/parse.ts";
import { isOfConfig } from "../../node/runFolder.ts";
import { plural } from "../../shared/format.ts";
import { isConfigDocument } from "../config/configFiles.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import type { RunList } from "../runs/runList.ts";
import { offerToCreate } from "../vscode/offerInstead.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { settingOverrides } from "../vscode/settingOverrides.ts";

export interface ChooseConfigOptions {
  readonly finder: RunFinder;
  readonly store: RunList;
}

/** Undefined when there is none, or the user picked none. */
export async function chooseConfig(
  { finder, store }: ChooseConfigOptions,
  target: unknown,
): Promise<vscode.Uri | undefined> {
  if (target instanceof vscode.Uri) return target;
  const active = vscode.window.activeTextEditor?.document;
  if (active !== undefined && isConfigDocument(active)) return active.uri;
  await finder.find();
  const [only, ...others] = finder.configs;
  if (only === undefined) {
    await offerToCreate();
    return undefined;
  }
  if (others.length === 0) return only;
  // List visible ones first: the diff view may show a configuration next to the focused document.
  const visible = vscode.window.visibleTextEditors.map(({ document }) => document.uri.toString());
  const isVisible = (uri: vscode.Uri): boolean => visible.includes(uri.toString());
  const offered = [...finder.configs].sort((a, b) => Number(isVisible(b)) - Number(isVisible(a)));
  const items = offered.map((uri) => {
    const last = store.runs.find((run) => isOfConfig(run, uri.fsPath));
    return {
      label: vscode.workspace.asRelativePath(uri),
      description: last === undefined ? "" : vscode.l10n.t("last run: {0}", last.phase),
      uri,
    };
  });
  const placeHolder = vscode.l10n.t("Which configuration?");
  return (await plainWindow.showQuickPick(items, { placeHolder }))?.uri;
}

/** Like {@link chooseConfig}, but saved first. Undefined if it is not saved or has errors, which are then shown in Problems. */
export async function chooseSoundConfig(
  options: ChooseConfigOptions,
  target: unknown,
): Promise<vscode.Uri | undefined> {
  const chosen = await chooseConfig(options, target);
  if (chosen === undefined) return undefined;
  const document = await vscode.workspace.openTextDocument(chosen);
  const saved = document.isDirty ? await save(document) : chosen;
  if (saved === undefined) return undefined;
  return (await isSound(saved)) ? saved : undefined;
}

/** The saved file's URI, with its name if it is new; undefined if it could not be written, which the editor explains. */
async function save(document: vscode.TextDocument): Promise<vscode.Uri | undefined> {
  if (document.isUntitled) return vscode.workspace.save(document.uri);
  return (await document.save()) ? document.uri : undefined;
}

async function isSound(config: vscode.Uri): Promise<boolean> {
  const document = await vscode.workspace.openTextDocument(config);
  const overrides = settingOverrides(config);
  const result = parseConfig(document.getText(), { path: document.fileName, overrides });
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
