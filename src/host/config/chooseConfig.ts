/** Which configuration a command is about: the file it was called on, the one in the editor, the only one, or the user's pick. */

import * as vscode from "vscode";
import { offerToCreate } from "../vscode/offerInstead.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { findConfigs, isConfigDocument } from "./configFiles.ts";

/** Undefined if there is none or none was picked. `describe` returns the text next to a name in the list. */
export async function chooseConfig(
  target: unknown,
  describe: (config: vscode.Uri) => string = () => "",
): Promise<vscode.Uri | undefined> {
  if (target instanceof vscode.Uri) return target;
  const active = vscode.window.activeTextEditor?.document;
  if (active !== undefined && isConfigDocument(active)) return active.uri;
  const configs = await findConfigs();
  const [only, ...others] = configs;
  if (only === undefined) {
    await offerToCreate();
    return undefined;
  }
  if (others.length === 0) return only;
  // List visible ones first: the diff view may show a configuration next to the focused document.
  const visible = vscode.window.visibleTextEditors.map(({ document }) => document.uri.toString());
  const isVisible = (uri: vscode.Uri): boolean => visible.includes(uri.toString());
  const offered = configs.toSorted((a, b) => Number(isVisible(b)) - Number(isVisible(a)));
  const items = offered.map((uri) => ({
    label: vscode.workspace.asRelativePath(uri),
    description: describe(uri),
    uri,
  }));
  const placeHolder = vscode.l10n.t("Which configuration?");
  return (await plainWindow.showQuickPick(items, { placeHolder }))?.uri;
}
