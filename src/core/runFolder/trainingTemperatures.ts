/** The temperatures at which a run samples its training rollouts, as recorded in its folder. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { readResolvedConfig } from "./files/wholeFiles.ts";

const DEFAULT = 1;
const environment = z.object({ temperature: z.number() });
const resolvedConfig = z.object({
  environments: z.record(z.string(), environment.catch({ temperature: DEFAULT })),
});

/** Temperature by environment name. */
export type TrainingTemperatures = (environment: string) => number;

/** Uses the default if the folder has no readable `config.resolved.json`. */
export async function readTrainingTemperatures(
  fileSystem: FolderFiles,
  folder: string,
): Promise<TrainingTemperatures> {
  return trainingTemperatures(await readResolvedConfig(fileSystem, folder));
}

/** The same, from the contents of that file. */
export function trainingTemperatures(resolved: unknown): TrainingTemperatures {
  const environments = new Map(
    Object.entries(resolvedConfig.safeParse(resolved).data?.environments ?? {}),
  );
  return (name) => environments.get(name)?.temperature ?? DEFAULT;
}
