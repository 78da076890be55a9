/** What a run trains and where, as its folder says. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { parseJson } from "../util/jsonl.ts";
import { runPaths } from "./files/layout.ts";
import { MAX_BYTES, readIfReadable } from "./files/wholeFiles.ts";

const runModel = z.object({
  model_name: z.string(),
  tokenizer_name: z.string().nullish(),
  lora_rank: z.number().nullable().catch(null),
  /** Null = as variables or settings lead, or the official service. */
  tinker_base_url: z.string().nullable().catch(null),
  /** By environment, those that training draws from. */
  environments: z
    .record(z.string(), z.object({ splits: z.record(z.string(), z.unknown()) }))
    .catch({}),
});

export type RunModel = z.infer<typeof runModel>;

/** Null when the folder has no readable `config.resolved.json`. */
export async function readRunModel(
  fileSystem: FolderFiles,
  folder: string,
): Promise<RunModel | null> {
  const path = runPaths(folder).resolvedConfig;
  const text = (await readIfReadable(fileSystem, path, MAX_BYTES.resolvedConfig)) ?? "";
  return runModel.safeParse(parseJson(text)?.value).data ?? null;
}
