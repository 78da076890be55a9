/** Checks the names of exported files, which come from a server: they must stay within their folder, and be data only. */

import { AppError } from "../errors.ts";
import { visibleLine } from "../util/visibleText.ts";

const SEGMENT = /^\w[\w.-]{0,127}$/;
const MAX_DEPTH = 4;
const MAX_FILES = 1000;
/** https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Files that `peft` loads without executing anything. Pickles (`.bin`, `.pt`), programs and pages are not downloaded. */
const DATA = /\.(safetensors|json)$/;
/** https://huggingface.co/docs/peft/developer_guides/checkpoint#peft-files */
const REQUIRED = ["adapter_config.json", "adapter_model.safetensors"];

/**
 * The sorted names of the data files. Requires that every listed name is a plain path below the folder, that no two names could
 * be the same file on any disk, and that the files needed for loading are present.
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
  const missing = REQUIRED.find((name) => !seen.has(name));
  if (missing !== undefined) throw unsafe(`it has no ${missing}`);
  return sorted.filter((name) => DATA.test(name));
}

function unsafe(what: string): AppError {
  return new AppError(
    "download-unsafe",
    `Nothing was downloaded: the service's list of files cannot be trusted: ${what}. Check the address of the service.`,
  );
}
