/** The page's frame: what may load into it, and nothing else. */

export interface PageOptions {
  /** Addresses as the page must ask for them. */
  readonly scriptUri: string;
  readonly styleUri: string;
  /** What the editor serves the page's own files from. */
  readonly cspSource: string;
  /** Fresh for every page. */
  readonly nonce: string;
  /** Language of the texts, for example `en`. */
  readonly language: string;
}

/** No connections, no inline scripts, no evaluated code; scripts and styles from the extension's own folder only. */
export function pageHtml({ scriptUri, styleUri, cspSource, nonce, language }: PageOptions): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${cspSource}`,
    `style-src ${cspSource} 'nonce-${nonce}'`,
    `img-src ${cspSource} data:`,
    `font-src ${cspSource}`,
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${attribute(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tinker RL</title>
<link rel="stylesheet" nonce="${attribute(nonce)}" href="${attribute(styleUri)}">
</head>
<body>
<div id="root"></div>
<script type="module" nonce="${attribute(nonce)}" src="${attribute(scriptUri)}"></script>
</body>
</html>
`;
}

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
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
<body style="${style}"><p role="status">${attribute(text)}</p></body>
</html>`;
}
