/** The model that a run trains and its service, as recorded in its folder. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { readResolvedConfig } from "./files/wholeFiles.ts";

const runModel = z.object({
  model_name: z.string(),
  tokenizer_name: z.string().nullish(),
  lora_rank: z.number().nullable().catch(null),
  /** Null = from variables or settings, or the official service. */
  tinker_base_url: z.string().nullable().catch(null),
  /** The environments used for training, by name. */
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
