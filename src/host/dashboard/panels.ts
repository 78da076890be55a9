/** Editor tabs with our pages, which VS Code calls webview panels. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { loadingHtml, pageHtml } from "../../server/dashboard/pageHtml.ts";

/** Script names, with the style sheet of each. */
const PAGES = {
  dashboard: "style.css",
  chat: "chatStyle.css",
  play: "playStyle.css",
  runs: "runsStyle.css",
} as const;

/** Sets a panel's icon, permissions and page. */
export function fillPanel(
  panel: vscode.WebviewPanel,
  page: keyof typeof PAGES,
  extensionUri: vscode.Uri,
): void {
  const { webview } = panel;
  const uri = (path: string): vscode.Uri => vscode.Uri.joinPath(extensionUri, ...path.split("/"));
  webview.options = {
    enableScripts: true,
    localResourceRoots: [uri("dist/webview"), uri("media")],
  };
  panel.iconPath = {
    light: uri(`media/icons/${page}-light.svg`),
    dark: uri(`media/icons/${page}-dark.svg`),
  };
  webview.html = pageHtml({
    scriptUri: String(webview.asWebviewUri(uri(`dist/webview/${page}.js`))),
    styleUris: [String(webview.asWebviewUri(uri(`dist/webview/${PAGES[page]}`)))],
    source: webview.cspSource,
    nonce: randomBytes(16).toString("hex"),
    language: vscode.l10n.bundle === undefined ? "en" : vscode.env.language,
    loading: vscode.l10n.t("Loading…"),
  });
}

/**
 * Panels that the editor restores after a reload: each shows a loading message at once, and `restore`, which may take seconds, fills it;
 * `state` is what its page stored.
 */
export function restorePanels(
  viewType: string,
  restore: (panel: vscode.WebviewPanel, state: unknown) => Promise<void>,
): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(viewType, {
    deserializeWebviewPanel: (panel, state: unknown) => {
      panel.webview.html = loadingHtml(vscode.l10n.t("Loading…"));
      return restore(panel, state);
    },
  });
}

/** What a panel's page talks to. */
interface PanelSession {
  begin(): void;
  /** Called with every message from the page. */
  receive(message: unknown): void;
  dispose(): void;
}

/** Any number of tabs with the same page, each with a session of its own. */
export function createPanels(
  page: "chat" | "play",
  extensionUri: vscode.Uri,
  options: { readonly retainContextWhenHidden: boolean },
) {
  const panels = new Set<vscode.WebviewPanel>();
  return {
    open: (title: string, connect: (panel: vscode.WebviewPanel) => PanelSession): void => {
      const { Active } = vscode.ViewColumn;
      const all = { enableFindWidget: true, ...options };
      const panel = vscode.window.createWebviewPanel(`tinkerRL.${page}`, title, Active, all);
      const session = connect(panel);
      panel.webview.onDidReceiveMessage((message: unknown) => session.receive(message));
      panel.onDidDispose(() => {
        panels.delete(panel);
        session.dispose();
      });
      panels.add(panel);
      fillPanel(panel, page, extensionUri);
      session.begin();
    },
    isOpen: (panel: vscode.WebviewPanel): boolean => panels.has(panel),
    dispose: (): void => {
      for (const panel of panels) panel.dispose();
    },
  };
}
