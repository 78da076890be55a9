/** Names of exported files, which come from a server: they must stay in the folder that they are written to, and be data only. */

import { AppError } from "../errors.ts";
import { visibleLine } from "../util/visibleText.ts";

const SEGMENT = /^\w[\w.-]{0,127}$/;
const MAX_DEPTH = 4;
const MAX_FILES = 1000;
/** https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** What `peft` loads without running anything. Pickles (`.bin`, `.pt`), programs and pages are left where they are. */
const DATA = /\.(safetensors|json)$/;
/** https://huggingface.co/docs/peft/developer_guides/checkpoint#peft-files */
const REQUIRED = ["adapter_config.json", "adapter_model.safetensors"];

/**
 * The names of data files in their order, when each listed name is a plain path below the folder, no two are the same file on some disk,
 * and those are there without which nothing loads.
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
