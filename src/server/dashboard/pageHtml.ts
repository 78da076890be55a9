/** The HTML frame of a page, with a policy that allows its own files and nothing else. */

import { escapeMarkup } from "../../shared/escapeMarkup.ts";

export interface PageOptions {
  /** URL by which the page loads its script. */
  readonly scriptUri: string;
  /** In order of application. */
  readonly styleUris: readonly string[];
  /** The origin of the page's own files, as a content security policy source. */
  readonly source: string;
  /** Allowed connection targets; absent = none, as in an editor. */
  readonly connectSource?: string;
  /** Unique per page load. */
  readonly nonce: string;
  /** Language of the texts, for example `en`. */
  readonly language: string;
  /** Shown until the page's script has loaded, if that takes long. */
  readonly loading: string;
}

/** No inline scripts and no `eval`; scripts and styles only from the package's own folder. */
export function pageHtml(options: PageOptions): string {
  const {
    scriptUri,
    styleUris,
    source,
    connectSource = "'none'",
    nonce,
    language,
    loading,
  } = options;
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
<div id="root"><p class="loading" role="status">${escapeMarkup(loading)}</p></div>
<script type="module" nonce="${escapeMarkup(nonce)}" src="${escapeMarkup(scriptUri)}"></script>
</body>
</html>
`;
}

/** A page that only shows a loading message. */
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
