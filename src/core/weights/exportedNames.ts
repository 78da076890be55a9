/** Names of exported files, which come from a server: they must stay in the folder that they are written to. */

import { AppError } from "../errors.ts";
import { visibleLine } from "../util/visibleText.ts";

const SEGMENT = /^\w[\w.-]{0,127}$/;
const MAX_DEPTH = 4;
const MAX_FILES = 1000;
/** https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * The names in their order, when each is a plain path below the folder and no two are the same file on some disk.
 * @throws AppError `download-unsafe`
 */
export function checkExportedNames(names: Iterable<string>): readonly string[] {
  const sorted = [...names].sort();
  if (sorted.length === 0 || sorted.length > MAX_FILES) {
    throw unsafe(`it lists ${sorted.length} files`);
  }
  const seen = new Set<string>();
  for (const name of sorted) {
    const segments = name.split("/");
    const isPlain =
      segments.length <= MAX_DEPTH &&
      segments.every((part) => SEGMENT.test(part) && !part.endsWith(".") && !RESERVED.test(part));
    if (!isPlain || seen.has(name.toLowerCase())) {
      throw unsafe(`it names a file ${JSON.stringify(visibleLine(name).slice(0, 100))}`);
    }
    seen.add(name.toLowerCase());
  }
  return sorted;
}

function unsafe(what: string): AppError {
  return new AppError(
    "download-unsafe",
    `Nothing was downloaded: the service's list of files is not to be trusted, ${what}. Check the address of the service.`,
  );
}
