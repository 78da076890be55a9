/** Panels that the editor restores after a reload: each immediately shows a loading message, and is filled once the rest is ready. */

import * as vscode from "vscode";
import { loadingHtml } from "../../server/dashboard/pageHtml.ts";

/** Fills a restored panel; `state` is what its page stored. */
export type RestorePanel = (panel: vscode.WebviewPanel, state: unknown) => Promise<void>;

/** `restore` may take seconds. */
export function restorePanels(viewType: string, restore: RestorePanel): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(viewType, {
    deserializeWebviewPanel: (panel, state: unknown) => {
      panel.webview.html = loadingHtml(vscode.l10n.t("Loading…"));
      return restore(panel, state);
    },
  });
}
