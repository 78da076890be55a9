/** The page's frame: what may load into it, and nothing else. */

import { escapeMarkup } from "../../shared/escapeMarkup.ts";

export interface PageOptions {
  /** Addresses as the page must ask for them. */
  readonly scriptUri: string;
  /** In the order in which they apply. */
  readonly styleUris: readonly string[];
  /** What the page's own files are served from, as a content policy names it. */
  readonly source: string;
  /** What the page may connect to; absent = nothing, as in an editor. */
  readonly connectSource?: string;
  /** Fresh for every page. */
  readonly nonce: string;
  /** Language of the texts, for example `en`. */
  readonly language: string;
}

/** No inline scripts and no evaluated code; scripts and styles from the package's own folder only. */
export function pageHtml(options: PageOptions): string {
  const { scriptUri, styleUris, source, connectSource = "'none'", nonce, language } = options;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${source}`,
    `style-src ${source} 'nonce-${nonce}'`,
    `img-src ${source} data:`,
    `font-src ${source}`,
    `connect-src ${connectSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${escapeMarkup(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeMarkup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tinker RL</title>
<link rel="icon" href="data:,">
${styleUris.map((uri) => `<link rel="stylesheet" nonce="${escapeMarkup(nonce)}" href="${escapeMarkup(uri)}">`).join("\n")}
</head>
<body>
<div id="root"></div>
<script type="module" nonce="${escapeMarkup(nonce)}" src="${escapeMarkup(scriptUri)}"></script>
</body>
</html>
`;
}

/** A page that only says that it loads. */
export function loadingHtml(text: string): string {
  const style =
    "color: var(--vscode-descriptionForeground); font-family: var(--vscode-font-family)";
  return `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
</head>
<body style="${style}"><p role="status">${escapeMarkup(text)}</p></body>
</html>`;
}
