/** `sweep.json`: what a sweep is, in a folder of its own beside the folders of its runs. */

import * as z from "zod";
import { isSame } from "../config/fields/sameValue.ts";
import { budgetKey } from "../config/stages.ts";
import { AppError, isAppError } from "../errors.ts";
import type { FileSystem } from "../ports.ts";
import { baseName, storedId } from "../runFolder/files/storedNames.ts";
import { MAX_BYTES } from "../runFolder/files/wholeFiles.ts";
import { parseJson } from "../util/jsonl.ts";

const text = z.string().max(10_000);
const sweepFileSchema = z
  .object({
    schemaVersion: z.literal(1),
    /** As the `run.json` of its runs name it. */
    id: storedId,
    name: baseName,
    /** What a single run of the configuration would be called. */
    runName: z.string(),
    /** Absolute. */
    configPath: z.string(),
    grid: z
      .array(z.object({ key: text, values: z.array(text).max(1_000).readonly() }).readonly())
      .max(100)
      .readonly(),
    /** `key=value` each, for all runs; without secrets. */
    overrides: z.array(text).max(1_000).readonly(),
    startedAtMs: z.number(),
    /** The process that starts the runs one after another, or did so last; its heartbeat is 0 once it has ended. */
    runner: z
      .object({ pid: z.number().int().nonnegative(), host: z.string(), heartbeatAtMs: z.number() })
      .readonly(),
  })
  .readonly();

export type SweepFile = z.infer<typeof sweepFileSchema>;

export interface KnownSweep {
  readonly folder: string;
  readonly file: SweepFile;
}

export function sweepFilePath(folder: string): string {
  return `${folder}/sweep.json`;
}

/** The sweeps in `parent`, the newest first; none when it does not exist. @throws AppError `file-unreadable` for a damaged one */
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

/** What two starts of the same sweep have in common. */
type SweepIdentity = Pick<SweepFile, "configPath" | "runName" | "grid" | "overrides">;

/** True when both were started with the same configuration file, name, grid and overrides; stages may get another budget. */
export function isSameSweep(one: SweepIdentity, other: SweepIdentity): boolean {
  return (
    one.configPath === other.configPath &&
    one.runName === other.runName &&
    isSame(one.grid, other.grid) &&
    isSame(comparedOverrides(one), comparedOverrides(other))
  );
}

function comparedOverrides({ grid, overrides }: SweepIdentity): readonly string[] {
  return grid.length > 0 ? overrides : overrides.filter((text) => budgetKey(text) === null);
}

/** @throws AppError `disk` */
export async function writeSweepFile(
  fileSystem: FileSystem,
  { folder, file }: KnownSweep,
): Promise<void> {
  const content = `${JSON.stringify(file, null, 2)}\n`;
  await fileSystem.within(folder).writeAtomic(sweepFilePath(folder), content);
}

/** Null for a folder that holds no sweep. @throws AppError `file-unreadable` */
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
