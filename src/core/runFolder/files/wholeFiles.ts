/** Size limits of the run files that are read whole; all others are read in chunks. */

import { isAppError } from "../../errors.ts";
import type { FileSystem } from "../../ports.ts";
import { parseJson } from "../../util/jsonl.ts";
import { runPaths } from "./layout.ts";

const KB = 1024;

/** Far more than this program writes; larger files are rejected with `file-too-large`. */
export const MAX_BYTES = {
  runFile: 64 * KB,
  state: 16 * 1024 * KB,
  /** The configuration as written; the parser also limits its characters. */
  config: 1024 * KB,
  resolvedConfig: 2 * 1024 * KB,
  overrides: 1024 * KB,
  wandb: 4 * 1024 * KB,
  sweep: 1024 * KB,
  prices: 64 * KB,
} as const;

/** Null if the file cannot be read, for views that then omit its contents. */
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

/** The unvalidated contents of a run folder's `config.resolved.json`; undefined if it cannot be read. */
export async function readResolvedConfig(
  files: Pick<FileSystem, "readText">,
  folder: string,
): Promise<unknown> {
  const path = runPaths(folder).resolvedConfig;
  const text = await readIfReadable(files, path, MAX_BYTES.resolvedConfig);
  return text === null ? undefined : parseJson(text)?.value;
}
