/** Removes absolute paths from a text that is sent to other computers. */

/** A folder, and the text to show instead. */
export type KnownFolder = readonly [path: string, shown: string];

/** An absolute path, or one on a drive or in the home folder. Its last part is kept. Paths in URLs do not match. */
const PATH =
  /(?<![\w:./\\~-])(?:~?\/|[A-Za-z]:[\\/]|\\\\)(?:[^\s/\\'"`,;()]+[\\/])+([^\s/\\'"`,;()]+)/g;

/** `folders` starts with the innermost. They may contain spaces, unlike other paths, of which only the part before a space is removed. */
export function withoutPaths(text: string, folders: readonly KnownFolder[]): string {
  let cleaned = text;
  for (const [path, shown] of folders) {
    if (path.length > 1) cleaned = cleaned.replaceAll(path, shown);
  }
  return cleaned.replace(PATH, "…/$1");
}
