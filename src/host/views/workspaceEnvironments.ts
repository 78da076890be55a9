/** Environments in the workspace's configurations, including unsaved changes. */

import { setImmediate as turn } from "node:timers/promises";
import * as vscode from "vscode";
import {
  type NamedEnvironment,
  namedEnvironments,
} from "../../core/config/editing/catalogue/namedEnvironments.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { soon } from "../../node/soon.ts";
import { isConfigDocument } from "../config/configFiles.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import { readWorkspaceText } from "../vscode/workspaceText.ts";

export interface WorkspaceEnvironment extends NamedEnvironment {
  /** Absolute path of the configuration that uses it. */
  readonly config: string;
}

const SETTLE_MS = 500;

/** Of the configurations that `finder` has found. */
export function workspaceEnvironments(finder: Pick<RunFinder, "configs" | "onDidFind">) {
  const changed = new Emitter<void>();
  let known = "";
  const named = async (): Promise<readonly WorkspaceEnvironment[]> => {
    const found = new Map<string, WorkspaceEnvironment>();
    for (const config of finder.configs) {
      const { text, path } = await textOf(config);
      for (const each of namedEnvironments(text, { path })) {
        if ((found.get(each.name)?.server ?? null) !== null) continue;
        found.set(each.name, { ...each, config: config.fsPath });
      }
      // Yield between texts, because twenty hostile ones in a row would block other work.
      await turn();
    }
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  const look = async (): Promise<void> => {
    const now = JSON.stringify(await named());
    if (now === known) return;
    known = now;
    changed.fire();
  };
  const again = soon(SETTLE_MS, () => void look());
  const listeners = vscode.Disposable.from(
    again,
    finder.onDidFind(again),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (isConfigDocument(document)) again();
    }),
  );
  return {
    /** Sorted by name, without duplicates; the first configuration with a server for it wins. */
    named,
    onDidChange: changed.event,
    dispose: (): void => void listeners.dispose(),
  };
}

export type WorkspaceEnvironments = ReturnType<typeof workspaceEnvironments>;

async function textOf(uri: vscode.Uri): Promise<{ readonly text: string; readonly path: string }> {
  const { path } = uri;
  const open = vscode.workspace.textDocuments.find(
    (document) => document.uri.toString() === uri.toString(),
  );
  if (open !== undefined) return { text: open.getText(), path };
  return { text: (await readWorkspaceText(uri, MAX_BYTES.config)) ?? "", path };
}
