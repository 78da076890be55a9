/** *Show Effective Configuration*: a diff between the file and what a run would resolve it to. */

import * as vscode from "vscode";
import { CONFIG_REQUESTS } from "../../api/config.ts";
import { Emitter } from "../../core/util/emitter.ts";
import type { Server } from "../server/server.ts";

const EFFECTIVE_SCHEME = "tinker-rl-effective";

export class EffectiveConfig implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #server: Server;
  readonly #changes = new Emitter<vscode.Uri>();
  readonly #open = new Map<string, vscode.Uri>();
  readonly #listeners: vscode.Disposable;

  readonly onDidChange = (listener: (uri: vscode.Uri) => void): vscode.Disposable =>
    vscode.Disposable.from(this.#changes.event(listener));

  constructor(server: Server) {
    this.#server = server;
    this.#listeners = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(EFFECTIVE_SCHEME, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        const shown = this.#open.get(document.uri.toString());
        if (shown !== undefined) this.#changes.fire(shown);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === EFFECTIVE_SCHEME) this.#open.delete(uri.query);
      }),
    );
  }

  dispose(): void {
    this.#listeners.dispose();
  }

  async show(document: vscode.TextDocument): Promise<void> {
    const { uri } = document;
    const shown = uri.with({
      scheme: EFFECTIVE_SCHEME,
      authority: "",
      path: `${uri.path.startsWith("/") ? "" : "/"}${uri.path}.effective.yaml`,
      query: uri.toString(),
    });
    this.#open.set(uri.toString(), shown);
    this.#changes.fire(shown);
    const name = uri.path.slice(uri.path.lastIndexOf("/") + 1);
    const title = vscode.l10n.t("{0} ↔ Effective Configuration", name);
    await vscode.commands.executeCommand("vscode.diff", uri, shown, title);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const config = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri.query));
    return this.#server.request(CONFIG_REQUESTS.effective, { uri: config.uri.toString() });
  }
}
