/** Distinguishes base models without reading all their weights. */

import type { StartHash } from "../../ports.ts";
import { type BaseFiles, CONFIG_NAME } from "./baseFolder.ts";

/** Bytes from the middle of a file, which differ between files of the same size. */
const SAMPLE_BYTES = 2 ** 14;

/** From names, sizes and samples of the files in the folder. @throws AppError `file-*` */
export async function baseFingerprint(
  files: BaseFiles,
  folder: string,
  startHash: StartHash,
): Promise<string> {
  const hash = startHash("sha256");
  for (const name of await files.list(folder)) {
    if (name !== CONFIG_NAME && !name.endsWith(".safetensors")) continue;
    const path = `${folder}/${name}`;
    const size = (await files.size(path)) ?? 0;
    const middle = Math.max(0, Math.floor((size - SAMPLE_BYTES) / 2));
    hash.update(new TextEncoder().encode(`${name}\n${size}\n`));
    hash.update(await files.readRange(path, middle, Math.min(size, SAMPLE_BYTES)));
  }
  return hash.base64();
}
