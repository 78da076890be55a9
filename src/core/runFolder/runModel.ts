/** What a run trains and where, as its folder says. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { readResolvedConfig } from "./files/wholeFiles.ts";

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
  return runModel.safeParse(await readResolvedConfig(fileSystem, folder)).data ?? null;
}
