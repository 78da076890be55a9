/** *Show Effective Configuration*: a diff between the file and what a run would resolve it to. */

import { basename } from "node:path";
import * as vscode from "vscode";
import { CONFIG_REQUESTS } from "../../api/config.ts";
import type { Server } from "../server/server.ts";

const EFFECTIVE_SCHEME = "tinker-rl-effective";

export function createEffectiveConfig(server: Server) {
  const changes = new vscode.EventEmitter<vscode.Uri>();
  /** By configuration. */
  const open = new Map<string, vscode.Uri>();
  const listeners = vscode.Disposable.from(
    changes,
    vscode.workspace.registerTextDocumentContentProvider(EFFECTIVE_SCHEME, {
      onDidChange: changes.event,
      provideTextDocumentContent: async ({ query }) => {
        const config = await vscode.workspace.openTextDocument(vscode.Uri.parse(query));
        return server.request(CONFIG_REQUESTS.effective, { uri: config.uri.toString() });
      },
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      const shown = open.get(document.uri.toString());
      if (shown !== undefined) changes.fire(shown);
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme === EFFECTIVE_SCHEME) open.delete(uri.query);
    }),
  );
  return {
    show: async ({ uri }: vscode.TextDocument): Promise<void> => {
      const shown = uri.with({
        scheme: EFFECTIVE_SCHEME,
        authority: "",
        path: `${uri.path.startsWith("/") ? "" : "/"}${uri.path}.effective.yaml`,
        query: uri.toString(),
      });
      open.set(uri.toString(), shown);
      changes.fire(shown);
      const title = vscode.l10n.t("{0} ↔ Effective Configuration", basename(uri.path));
      await vscode.commands.executeCommand("vscode.diff", uri, shown, title);
    },
    dispose: (): void => void listeners.dispose(),
  };
}

export type EffectiveConfig = ReturnType<typeof createEffectiveConfig>;
