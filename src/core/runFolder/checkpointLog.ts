/** `checkpoints.jsonl`: one line for every save that the service confirmed. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { encodeJsonLine } from "../util/jsonl.ts";
import { runPaths } from "./files/layout.ts";
import { readLines } from "./files/lineReader.ts";
import { NewestEntries } from "./files/newestEntries.ts";
import { checkpointName, checkpointPath } from "./files/storedNames.ts";
import { runStateSchema } from "./state.ts";

const count = z.number().int().nonnegative();

const checkpointSchema = z
  .object({
    name: checkpointName,
    /** Completed steps. */
    step: count,
    epoch: count,
    /** Position in the list of tasks. */
    position: count,
    kind: z.enum(["periodic", "rolling", "final", "interrupt", "manual", "best"]),
    /** For a resume. */
    state_path: checkpointPath,
    /** For use. */
    sampler_path: checkpointPath.nullable(),
    /** ISO 8601; null = kept until deleted. */
    expires_at: z.string().nullable(),
    /** Flat metric names with their values at the save. */
    metrics: z.record(z.string(), z.number().nullable()).readonly(),
    /** The chat renderer's name. */
    renderer: z.string(),
    created_at: z.string(),
    /** The metric and value of the best checkpoint by `save_best`; absent for all others. */
    best: z.object({ metric: z.string(), value: z.number() }).readonly().exactOptional(),
    /** All that a resume from it needs; absent for a rolling save, whose state is in `state.json` while it exists. */
    state: runStateSchema.exactOptional(),
  })
  .readonly();

export type CheckpointEntry = z.infer<typeof checkpointSchema>;

/** @throws AppError `disk` */
export async function appendCheckpoint(
  fileSystem: FolderFiles,
  folder: string,
  entry: CheckpointEntry,
): Promise<void> {
  await fileSystem.append(runPaths(folder).checkpoints, encodeJsonLine(entry));
}

/** The save of a line of `checkpoints.jsonl`, or null when it is none. */
export function parseCheckpoint(value: unknown): CheckpointEntry | null {
  return checkpointSchema.safeParse(value).data ?? null;
}

/** The newest saves in the order they were made; lines that cannot be read are left out. */
export async function readCheckpoints(
  fileSystem: FolderFiles,
  folder: string,
): Promise<readonly CheckpointEntry[]> {
  const entries = new NewestEntries<CheckpointEntry>();
  for await (const { value, length } of readLines(fileSystem, runPaths(folder).checkpoints)) {
    const entry = parseCheckpoint(value);
    if (entry !== null) entries.add(entry, length);
  }
  return entries.all;
}

/**
 * The saves that can be used at `nowMs`, in the order in which they were made: of each name the last line, nothing that has expired or
 * was deleted, and a rolling save only while no newer one of any kind is confirmed, which is when the service drops it.
 */
export function usableCheckpoints(
  entries: readonly CheckpointEntry[],
  nowMs: number,
): readonly CheckpointEntry[] {
  const byName = new Map<string, CheckpointEntry>();
  for (const entry of entries) {
    byName.delete(entry.name);
    byName.set(entry.name, entry);
  }
  const last = newestSave(entries);
  return [...byName.values()]
    .filter(
      ({ name, kind, expires_at }) =>
        (expires_at === null || Date.parse(expires_at) > nowMs) &&
        (kind !== "rolling" || name === last?.name),
    )
    .sort((a, b) => Number(a.created_at > b.created_at) - Number(a.created_at < b.created_at));
}

/** Of usable saves the newest with weights of a kind, those that last before a rolling one; undefined without any. */
export function newestWith(
  usable: readonly CheckpointEntry[],
  kind: "state_path" | "sampler_path",
): CheckpointEntry | undefined {
  const saved = usable.filter((entry) => entry[kind] !== null);
  return saved.findLast((entry) => entry.kind !== "rolling") ?? saved.at(-1);
}

/** The one that was saved last: a later line may be a note about an earlier save. Null without any. */
export function newestSave(entries: readonly CheckpointEntry[]): CheckpointEntry | null {
  return entries.reduce<CheckpointEntry | null>(
    (newest, entry) => (newest === null || entry.created_at >= newest.created_at ? entry : newest),
    null,
  );
}

/**
 * What a save counts as by all its `lines`, for example periodic and final; the best one counts as that, too, and one that was saved to
 * be compared only is a candidate until then.
 */
export function kindsOf(
  { best, kind }: CheckpointEntry,
  lines: readonly CheckpointEntry[],
): readonly (CheckpointEntry["kind"] | "candidate")[] {
  const others = [...lines.map((line) => line.kind), kind].filter((each) => each !== "best");
  if (best !== undefined) return [...new Set(others), "best"];
  return others.length === 0 ? ["candidate"] : [...new Set(others)];
}
