/** Finds a past run as the basis for an estimate. */

import * as z from "zod";
import type { Config } from "../config/fields/schema.ts";
import type { FileSystem } from "../ports.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { readResolvedConfig } from "../runFolder/files/wholeFiles.ts";
import { readRunFile } from "../runFolder/runFile.ts";

/** End of the names of dry runs, which train nothing. */
export const DRY_RUN_SUFFIX = "-dry-run";

const trainedIn = z.object({
  run_name: z.string().nullish(),
  method: z.string().optional(),
  model_name: z.string(),
  environments: z.record(
    z.string(),
    z.object({ agent: z.object({ command: z.array(z.string()).readonly() }).nullish() }),
  ),
});

/** Folder of the newest run in `parent` that used tokens and has the same model, environments and agents as `config`; null if none. */
export async function newestRunLike(
  fileSystem: FileSystem,
  parent: string,
  config: Pick<Config, "environments" | "model_name">,
): Promise<string | null> {
  let newest: { readonly folder: string; readonly startedAtMs: number } | null = null;
  for (const name of await fileSystem.list(parent)) {
    const folder = `${parent}/${name}`;
    const startedAtMs = await startOfRunLike(fileSystem, folder, config);
    if (startedAtMs === null || startedAtMs <= (newest?.startedAtMs ?? -1)) continue;
    newest = { folder, startedAtMs };
  }
  return newest?.folder ?? null;
}

async function startOfRunLike(
  fileSystem: FileSystem,
  folder: string,
  config: Pick<Config, "environments" | "model_name">,
): Promise<number | null> {
  const files = fileSystem.within(folder);
  const { metrics, usage } = runPaths(folder);
  const trained = trainedIn.safeParse(await readResolvedConfig(files, folder)).data;
  if (trained === undefined || basisKey(trained) !== basisKey(config)) return null;
  if (trained.run_name?.endsWith(DRY_RUN_SUFFIX) === true) return null;
  // It has steps but no rollouts.
  if (trained.method === "sft") return null;
  if (!(await files.size(usage)) || !(await files.size(metrics))) return null;
  const file = await readRunFile(files, folder).catch(() => null);
  return file === null || file.evaluation !== undefined ? null : file.startedAtMs;
}

/** Equal for configurations that a past run of one can estimate: the model, and the environments with their agents' commands. */
export function basisKey({
  environments,
  model_name: model,
}: Pick<z.infer<typeof trainedIn>, "environments" | "model_name">): string {
  const played = Object.entries(environments).map(([name, { agent }]) => [name, agent?.command]);
  return JSON.stringify([model, played.toSorted()]);
}
