/** Which model and which tokenizer a run uses, as its folder says. */

import * as z from "zod";
import { isAppError } from "../errors.ts";
import type { FolderFiles } from "../ports.ts";
import { parseJson } from "../util/jsonl.ts";
import { runPaths } from "./layout.ts";

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
  try {
    const text = await fileSystem.readText(runPaths(folder).resolvedConfig);
    return modelNames.safeParse(parseJson(text)?.value).data ?? null;
  } catch (error) {
    if (isAppError(error, "file-not-found")) return null;
    throw error;
  }
}
