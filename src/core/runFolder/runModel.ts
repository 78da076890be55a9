/** Which model and which tokenizer a run uses, as its folder says. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { parseJson } from "../util/jsonl.ts";
import { runPaths } from "./layout.ts";
import { MAX_BYTES, readIfReadable } from "./wholeFiles.ts";

const modelNames = z.object({
  model_name: z.string(),
  tokenizer_name: z.string().nullish(),
});

export type ModelNames = z.infer<typeof modelNames>;

/** Null when the folder has no readable `config.resolved.json`. */
export async function readModelNames(
  fileSystem: FolderFiles,
  folder: string,
): Promise<ModelNames | null> {
  const path = runPaths(folder).resolvedConfig;
  const text = (await readIfReadable(fileSystem, path, MAX_BYTES.resolvedConfig)) ?? "";
  return modelNames.safeParse(parseJson(text)?.value).data ?? null;
}
