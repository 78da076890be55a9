/** Takes absolute paths out of a text that leaves this computer. */

/** A folder, and what stands for it in the text. */
export type KnownFolder = readonly [path: string, shown: string];

/** A path from the root, of a drive or from the home folder, whose last part is kept; not the path of an address. */
const PATH =
  /(?<![\w:./\\~-])(?:~?\/|[A-Za-z]:[\\/]|\\\\)(?:[^\s/\\'"`,;()]+[\\/])+([^\s/\\'"`,;()]+)/g;

/** `folders` begin with the innermost one; they may hold blanks, of which other paths lose only what comes before. */
export function withoutPaths(text: string, folders: readonly KnownFolder[]): string {
  let cleaned = text;
  for (const [path, shown] of folders) {
    if (path.length > 1) cleaned = cleaned.replaceAll(path, shown);
  }
  return cleaned.replace(PATH, "…/$1");
}
