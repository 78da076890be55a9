/** `checkpoints.jsonl`: one line per save that the service confirmed. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { encodeJsonLine } from "../util/jsonl.ts";
import { runPaths } from "./files/layout.ts";
import { readLines } from "./files/lineReader.ts";
import { checkpointName, checkpointPath } from "./files/storedNames.ts";
import { type RunState, savedStateSchema } from "./state.ts";

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
    /** Training state, to resume from; null = it was deleted and the weights for sampling were kept. */
    state_path: checkpointPath.nullable(),
    /** Weights for sampling; null = none were saved. */
    sampler_path: checkpointPath.nullable(),
    /** ISO 8601; null = kept until deleted. */
    expires_at: z.string().nullable(),
    /** Flat metric names with their values at the time of the save. */
    metrics: z.record(z.string(), z.number().nullable()).readonly(),
    /** The chat renderer's name. */
    renderer: z.string(),
    created_at: z.string(),
    /** The metric and value of the best checkpoint by `save_best`; absent for all others. */
    best: z.object({ metric: z.string(), value: z.number() }).readonly().exactOptional(),
    /**
     * Everything needed to resume from it except its curriculum, which only `wholeState` reads; absent for a rolling save, whose state is
     * in `state.json` while it exists.
     */
    state: savedStateSchema.exactOptional(),
  })
  .readonly();

export type CheckpointEntry = z.infer<typeof checkpointSchema>;

/** Lines of saves that are kept in memory, and their length together. */
const MAX_LINES = 5_000;
const MAX_CHARS = 32 * 1024 * 1024;

/**
 * The saves within a memory limit: the last line of each save and kind, in the order of these lines. Over the limit, the oldest of those that expire are
 * dropped first, because a run makes many rolling saves.
 */
export class NewestSaves {
  readonly #lines = new Map<string, { readonly entry: CheckpointEntry; readonly chars: number }>();
  readonly #expiring = new Set<string>();
  #chars = 0;

  get all(): readonly CheckpointEntry[] {
    return Array.from(this.#lines.values(), ({ entry }) => entry);
  }

  add(entry: CheckpointEntry): void {
    const { name, kind, state_path, expires_at } = entry;
    const key = [name, kind, state_path].join(" ");
    this.#drop(key);
    const chars = JSON.stringify(entry).length;
    this.#lines.set(key, { entry, chars });
    this.#chars += chars;
    if (expires_at !== null) this.#expiring.add(key);
    while (this.#lines.size > MAX_LINES || this.#chars > MAX_CHARS) {
      // The newest save may be the one that the run resumes from.
      const [oldest] = this.#expiring.size > 1 ? this.#expiring : this.#lines.keys();
      this.#drop(oldest ?? "");
    }
  }

  #drop(key: string): void {
    this.#chars -= this.#lines.get(key)?.chars ?? 0;
    this.#lines.delete(key);
    this.#expiring.delete(key);
  }
}

/** @throws AppError `disk` */
export async function appendCheckpoint(
  fileSystem: FolderFiles,
  folder: string,
  entry: CheckpointEntry & { readonly state?: RunState },
): Promise<void> {
  await fileSystem.append(runPaths(folder).checkpoints, encodeJsonLine(entry));
}

/** Parses a line of `checkpoints.jsonl`; null if it is not a checkpoint. */
export function parseCheckpoint(value: unknown): CheckpointEntry | null {
  return checkpointSchema.safeParse(value).data ?? null;
}

/** The saves, as {@link NewestSaves} keeps them; skips unreadable lines. */
export async function readCheckpoints(
  fileSystem: FolderFiles,
  folder: string,
): Promise<readonly CheckpointEntry[]> {
  const saves = new NewestSaves();
  for await (const { value } of readLines(fileSystem, runPaths(folder).checkpoints)) {
    const entry = parseCheckpoint(value);
    if (entry !== null) saves.add(entry);
  }
  return saves.all;
}

/**
 * The saves usable at `nowMs`, oldest first: the last line per name, without expired or deleted ones. A rolling save counts only
 * until a newer save of any kind is confirmed, because the service then drops it.
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

export interface ResumableEntry extends CheckpointEntry {
  readonly state_path: string;
}

/** The saves whose state was not deleted. */
export function withState(entries: readonly CheckpointEntry[]): readonly ResumableEntry[] {
  return entries.filter((entry): entry is ResumableEntry => entry.state_path !== null);
}

/** The newest usable save with weights of this kind, preferring any other save over a rolling one; undefined if there is none. */
export function newestWith(
  usable: readonly CheckpointEntry[],
  kind: "state_path" | "sampler_path",
): CheckpointEntry | undefined {
  const saved = usable.filter((entry) => entry[kind] !== null);
  return saved.findLast((entry) => entry.kind !== "rolling") ?? saved.at(-1);
}

/** The save made last, which need not be the last line: a later line may update an earlier save. Null if there is none. */
export function newestSave(entries: readonly CheckpointEntry[]): CheckpointEntry | null {
  return entries.reduce<CheckpointEntry | null>(
    (newest, entry) => (newest === null || entry.created_at >= newest.created_at ? entry : newest),
    null,
  );
}

/**
 * All kinds of a save from its `lines`, for example periodic and final, plus `best` if it is the best one. A save that was made
 * only for comparison is a candidate until it becomes the best.
 */
export function kindsOf(
  { best, kind }: CheckpointEntry,
  lines: readonly CheckpointEntry[],
): readonly (CheckpointEntry["kind"] | "candidate")[] {
  const others = [...lines.map((line) => line.kind), kind].filter((each) => each !== "best");
  if (best !== undefined) return [...new Set(others), "best"];
  return others.length === 0 ? ["candidate"] : [...new Set(others)];
}
