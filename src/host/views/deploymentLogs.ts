/** *Open Deployment Logs*: the log of a hosted environment's newest deployment, as a read-only document, fetched each time. */

import * as vscode from "vscode";

const SCHEME = "tinker-rl-deployment";

export class DeploymentLogs implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  readonly #listeners: vscode.Disposable;

  readonly onDidChange = this.#changes.event;

  constructor() {
    this.#listeners = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => void this.#texts.delete(uri.toString())),
    );
  }

  dispose(): void {
    this.#listeners.dispose();
    this.#changes.dispose();
  }

  async show(name: string, text: string): Promise<void> {
    // With the extension `.log`, the editor highlights times and levels.
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.log` });
    this.#texts.set(uri.toString(), text);
    this.#changes.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }
}
