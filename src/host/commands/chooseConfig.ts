/** Which configuration a command is about: the file it was called on, the one in the editor, the only one, or the user's pick. */

import * as vscode from "vscode";
import { isConfigDocument } from "../config/configFiles.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import type { RunList } from "../runs/runList.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { offerInstead } from "./offerInstead.ts";

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
  if (only === undefined) return offerToCreate();
  if (others.length === 0) return only;
  const items = finder.configs.map((uri) => {
    const last = store.runs.find(({ file }) => file?.configPath === uri.fsPath);
    return {
      label: vscode.workspace.asRelativePath(uri),
      description: last === undefined ? "" : vscode.l10n.t("last run: {0}", last.phase),
      uri,
    };
  });
  const placeHolder = vscode.l10n.t("Which configuration?");
  return (await plainWindow.showQuickPick(items, { placeHolder }))?.uri;
}

async function offerToCreate(): Promise<undefined> {
  await offerInstead(vscode.l10n.t("There is no configuration in this workspace."), [
    { label: vscode.l10n.t("Create Configuration"), command: "tinkerRL.newConfig" },
    { label: vscode.l10n.t("Try the Local Demo"), command: "tinkerRL.startLocalDemo" },
  ]);
  return undefined;
}
