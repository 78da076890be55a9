/** The files of a run that are read whole: how large each may be. The others are read in pieces. */

import { isAppError } from "../../errors.ts";
import type { FileSystem } from "../../ports.ts";
import { parseJson } from "../../util/jsonl.ts";
import { runPaths } from "./layout.ts";

const KB = 1024;

/** Far above what a run of this program writes; what is larger is refused as `file-too-large`. */
export const MAX_BYTES = {
  runFile: 64 * KB,
  state: 16 * 1024 * KB,
  /** The configuration as written, which the parser bounds in characters. */
  config: 1024 * KB,
  resolvedConfig: 2 * 1024 * KB,
  overrides: 1024 * KB,
  wandb: 4 * 1024 * KB,
  sweep: 1024 * KB,
  prices: 64 * KB,
} as const;

/** Null for a file that cannot be read, for views that then leave its contents out. */
export async function readIfReadable(
  files: Pick<FileSystem, "readText">,
  path: string,
  maxBytes: number,
): Promise<string | null> {
  try {
    return await files.readText(path, maxBytes);
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
}

/** What the `config.resolved.json` of a run folder holds, unchecked; undefined where it cannot be read. */
export async function readResolvedConfig(
  files: Pick<FileSystem, "readText">,
  folder: string,
): Promise<unknown> {
  const path = runPaths(folder).resolvedConfig;
  const text = await readIfReadable(files, path, MAX_BYTES.resolvedConfig);
  return text === null ? undefined : parseJson(text)?.value;
}
