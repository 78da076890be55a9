/** *Open Deployment Logs*: the log of a hosted environment's newest deployment, as a read-only document, fetched each time. */

import * as vscode from "vscode";

const SCHEME = "tinker-rl-deployment";

export function createDeploymentLogs() {
  const texts = new Map<string, string>();
  const changes = new vscode.EventEmitter<vscode.Uri>();
  const listeners = vscode.Disposable.from(
    changes,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: changes.event,
      provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? "",
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => void texts.delete(uri.toString())),
  );
  return {
    show: async (name: string, text: string): Promise<void> => {
      // With the extension `.log`, the editor highlights times and levels.
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.log` });
      texts.set(uri.toString(), text);
      changes.fire(uri);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    },
    dispose: (): void => void listeners.dispose(),
  };
}
