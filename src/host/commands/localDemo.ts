/** The local demo: creates a configuration in a folder; the rest works as for any training. */

import * as vscode from "vscode";
import * as z from "zod";
import { DEMO } from "../../core/config/editing/completion/templates.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { askForFolder } from "../vscode/folders.ts";
import type { Memento } from "../vscode/memento.ts";
import { isThere, readWorkspaceText } from "../vscode/workspaceText.ts";
import { PENDING_DEMO } from "./pendingDemo.ts";

const NAMES = ["tinker-config.yaml", "local-demo.tinker.yaml"] as const;
/** Opening a folder reloads the window; requests for the demo older than this are dropped. */
const PENDING_MS = 60_000;

export interface DemoConfig {
  readonly uri: vscode.Uri;
  /** False if the file already existed. */
  readonly isNew: boolean;
}

export type LocalDemo = ReturnType<typeof localDemo>;

export function localDemo(globalState: Memento) {
  const openFolder = async (): Promise<undefined> => {
    const folder = await askForFolder({
      title: vscode.l10n.t("A Folder for the Local Demo"),
      openLabel: vscode.l10n.t("Use This Folder"),
    });
    if (folder === undefined) return;
    await writeConfig(folder);
    await globalState.update(PENDING_DEMO, { folder: folder.toString(), at: Date.now() });
    await vscode.commands.executeCommand("vscode.openFolder", folder, { forceReuseWindow: true });
  };
  return {
    /** Creates the demo's configuration if needed. Undefined if the user canceled, or the window reloads to open a folder first. */
    prepare: async (): Promise<DemoConfig | undefined> => {
      const [only, ...others] = vscode.workspace.workspaceFolders ?? [];
      if (only === undefined) return openFolder();
      const placeHolder = vscode.l10n.t("Which folder is the local demo for?");
      const folder =
        others.length === 0 ? only : await vscode.window.showWorkspaceFolderPick({ placeHolder });
      return folder && writeConfig(folder.uri);
    },
    /** True once if the window was opened for the demo. */
    takePending: async (): Promise<boolean> => {
      const pending = globalState.get(PENDING_DEMO);
      if (pending === undefined) return false;
      await globalState.update(PENDING_DEMO, undefined);
      return vscode.workspace.workspaceFolders?.some(({ uri }) => isFor(pending, uri)) === true;
    },
  };
}

const pendingSchema = z.object({ folder: z.string(), at: z.number() });

function isFor(stored: unknown, uri: vscode.Uri): boolean {
  const pending = pendingSchema.safeParse(stored).data;
  return pending?.folder === uri.toString() && Date.now() - pending.at < PENDING_MS;
}

/** Never changes a user's file: if the first name is taken by one, uses the second name, and reuses its own file. */
async function writeConfig(folder: vscode.Uri): Promise<DemoConfig> {
  for (const name of NAMES) {
    const uri = vscode.Uri.joinPath(folder, name);
    if (!(await isThere(uri))) {
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(DEMO));
      return { uri, isNew: true };
    }
    if ((await readWorkspaceText(uri, MAX_BYTES.config)) === DEMO) return { uri, isNew: false };
  }
  // Both names are taken by modified files: use the second, which is the demo with the user's changes.
  return { uri: vscode.Uri.joinPath(folder, NAMES[1]), isNew: false };
}
