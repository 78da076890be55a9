/** What a snippet inserts in an editor without snippets: its placeholders as text, without stops. */

/** `snippet` in the syntax of editors' snippets; a placeholder holds no other one. */
export function plainSnippet(snippet: string): string {
  return snippet.replace(
    /\\([\\$}|,])|\$\{\d+\|([^,|]*)[^}]*\|\}|\$\{\d+:((?:[^\\}]|\\.)*)\}|\$(?:\d+|\{\d+\})/g,
    (_, escaped?: string, choice?: string, text?: string) =>
      escaped ?? choice ?? text?.replace(/\\([\\$}])/g, "$1") ?? "",
  );
}
