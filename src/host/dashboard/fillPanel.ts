/** Sets a panel's icon, permissions and page. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { pageHtml } from "../../server/dashboard/pageHtml.ts";

/** Script names, with the style sheet of each. */
const PAGES = {
  dashboard: "style.css",
  chat: "chatStyle.css",
  play: "playStyle.css",
  runs: "runsStyle.css",
} as const;

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
  });
}
