/** The text of a snippet for editors without snippet support: placeholders as plain text, no tab stops. */

/** `snippet` uses the syntax of editor snippets; placeholders must not be nested. */
export function plainSnippet(snippet: string): string {
  return snippet.replace(
    /\\([\\$}|,])|\$\{\d+\|([^,|]*)[^}]*\|\}|\$\{\d+:((?:[^\\}]|\\.)*)\}|\$(?:\d+|\{\d+\})/g,
    (_, escaped?: string, choice?: string, text?: string) =>
      escaped ?? choice ?? text?.replace(/\\([\\$}])/g, "$1") ?? "",
  );
}
