/** `sweep.json`: the definition of a sweep, in its own folder next to its runs' folders. */

import * as z from "zod";
import { isSame } from "../config/fields/sameValue.ts";
import { parseAssignment } from "../config/overrides.ts";
import { budgetKey } from "../config/stages.ts";
import { AppError, isAppError } from "../errors.ts";
import type { FileSystem } from "../ports.ts";
import { baseName, storedId } from "../runFolder/files/storedNames.ts";
import { MAX_BYTES } from "../runFolder/files/wholeFiles.ts";
import { parseJson } from "../util/jsonl.ts";

const text = z.string().max(10_000);
const rungSchema = z
  .object({
    /** Completed steps of all runs that were compared. */
    step: z.number().int().positive(),
    /** Indices of the combinations that went on. */
    kept: z.array(z.number().int().nonnegative()).max(1_000).readonly(),
  })
  .readonly();
const sweepFileSchema = z
  .object({
    schemaVersion: z.literal(1),
    /** Same as in the `run.json` of its runs. */
    id: storedId,
    name: baseName,
    /** Name that a single run of the configuration would have. */
    runName: z.string(),
    /** Absolute. */
    configPath: z.string(),
    grid: z
      .array(z.object({ key: text, values: z.array(text).max(1_000).readonly() }).readonly())
      .max(100)
      .readonly(),
    /** `key=value` texts for all runs, without secrets. */
    overrides: z.array(text).max(1_000).readonly(),
    /** Steps after which only the better half goes on, see `halving.ts`; null = all runs train to their end. */
    halve: z.number().int().positive().nullable().default(null),
    /** Decisions so far. */
    rungs: z.array(rungSchema).max(100).readonly().default([]),
    startedAtMs: z.number(),
    /** The process that starts, or last started, the runs one after another. Its heartbeat is 0 after it has ended. */
    runner: z
      .object({ pid: z.number().int().nonnegative(), host: z.string(), heartbeatAtMs: z.number() })
      .readonly(),
  })
  .readonly();

export type Rung = z.infer<typeof rungSchema>;
export type SweepFile = z.infer<typeof sweepFileSchema>;

export interface KnownSweep {
  readonly folder: string;
  readonly file: SweepFile;
}

export function sweepFilePath(folder: string): string {
  return `${folder}/sweep.json`;
}

/** The sweeps in `parent`, newest first; empty if it does not exist. @throws AppError `file-unreadable` when a file is damaged */
export async function listSweeps(
  fileSystem: FileSystem,
  parent: string,
): Promise<readonly KnownSweep[]> {
  const found: KnownSweep[] = [];
  for (const name of await fileSystem.list(parent)) {
    const folder = `${parent}/${name}`;
    const file = await readSweepFile(fileSystem, folder);
    if (file !== null) found.push({ folder, file });
  }
  return found.sort((a, b) => b.file.startedAtMs - a.file.startedAtMs);
}

/** Properties that identify a sweep when it is started again. */
type SweepIdentity = Pick<SweepFile, "configPath" | "runName" | "grid" | "overrides">;

/** True if both have the same configuration file, name, grid and overrides. Budgets of stages may differ. */
export function isSameSweep(one: SweepIdentity, other: SweepIdentity): boolean {
  return (
    one.configPath === other.configPath &&
    one.runName === other.runName &&
    isSame(one.grid, other.grid) &&
    isSame(comparedOverrides(one), comparedOverrides(other))
  );
}

/** By key, because of several values for a key, only the last one counts. */
function comparedOverrides({ grid, overrides }: SweepIdentity): object {
  const own = grid.length > 0 ? overrides : overrides.filter((text) => budgetKey(text) === null);
  return Object.fromEntries(own.map((text) => [parseAssignment(text)?.prefix ?? text, text]));
}

/** @throws AppError `disk` */
export async function writeSweepFile(
  fileSystem: FileSystem,
  { folder, file }: KnownSweep,
): Promise<void> {
  const content = `${JSON.stringify(file, null, 2)}\n`;
  await fileSystem.within(folder).writeAtomic(sweepFilePath(folder), content);
}

/** Null for a folder without a sweep. @throws AppError `file-unreadable` */
async function readSweepFile(fileSystem: FileSystem, folder: string): Promise<SweepFile | null> {
  const path = sweepFilePath(folder);
  const content = await fileSystem
    .within(folder)
    .readText(path, MAX_BYTES.sweep)
    .catch((error: unknown) => {
      if (isAppError(error)) return null;
      throw error;
    });
  if (content === null) return null;
  const parsed = sweepFileSchema.safeParse(parseJson(content)?.value);
  if (parsed.success) return parsed.data;
  throw new AppError(
    "file-unreadable",
    `${path} is damaged, or a newer version wrote it. Delete its folder to start the sweep over; the runs are kept.`,
    { data: { path }, cause: parsed.error },
  );
}
