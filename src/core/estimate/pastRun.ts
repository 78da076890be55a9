/** Finds a past run as the basis for an estimate. */

import * as z from "zod";
import { flatSettings, SettingsTable } from "../compare/settingsTable.ts";
import type { Config } from "../config/fields/schema.ts";
import type { FileSystem, FolderFiles, Sha256 } from "../ports.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { readResolvedConfig } from "../runFolder/files/wholeFiles.ts";
import { readRunFile } from "../runFolder/runFile.ts";
import { usageEntries } from "../runFolder/usageLog.ts";

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

/**
 * Folder of the run in `parent` with the same model, environments and agents as `config` and the fewest other settings, the newest
 * of several; null if none has trained.
 */
export async function pastRunLike(
  fileSystem: FileSystem,
  parent: string,
  config: Pick<Config, "environments" | "model_name">,
  sha256: Sha256,
): Promise<string | null> {
  const settings = new SettingsTable();
  const leaves = (own: unknown) => flatSettings(own, { shorten: (text) => text, sha256 });
  settings.set(PLANNED, leaves(config));
  const runs: { readonly folder: string; readonly startedAtMs: number }[] = [];
  for (const name of await fileSystem.list(parent)) {
    const folder = `${parent}/${name}`;
    const files = fileSystem.within(folder);
    const own = await readResolvedConfig(files, folder);
    if (!isBasisFor(config, own)) continue;
    const file = await readRunFile(files, folder).catch(() => null);
    if (file === null || file.evaluation !== undefined) continue;
    settings.set(folder, leaves(own));
    runs.push({ folder, startedAtMs: file.startedAtMs });
  }
  const differences = ({ folder }: { readonly folder: string }) => settings.differencesOf(folder);
  runs.sort((a, b) => differences(a) - differences(b) || b.startedAtMs - a.startedAtMs);
  for (const { folder } of runs) {
    if (await hasTrained(fileSystem.within(folder), folder)) return folder;
  }
  return null;
}

/** No folder of a run, whose path is absolute. */
const PLANNED = "planned";

function isBasisFor(config: Parameters<typeof basisKey>[0], given: unknown): boolean {
  const past = trainedIn.safeParse(given).data;
  if (past === undefined || basisKey(past) !== basisKey(config)) return false;
  // Supervised runs have steps but no rollouts.
  return past.method !== "sft" && past.run_name?.endsWith(DRY_RUN_SUFFIX) !== true;
}

async function hasTrained(files: FolderFiles, folder: string): Promise<boolean> {
  if (!(await files.size(runPaths(folder).metrics))) return false;
  for await (const entry of usageEntries(files, folder)) {
    if (entry.for === "update" && entry.tokens.trained > 0) return true;
  }
  return false;
}

/** Equal for configurations that a past run of one can estimate: the model, and the environments with their agents' commands. */
export function basisKey({
  environments,
  model_name: model,
}: Pick<z.infer<typeof trainedIn>, "environments" | "model_name">): string {
  const played = Object.entries(environments).map(([name, { agent }]) => [name, agent?.command]);
  return JSON.stringify([model, played.toSorted()]);
}
