/** Caches runs' checkpoint lists and rereads them only when they have grown, because views query all of them while a run is live. */

import { isLocalModel } from "../../core/config/fields/presets.ts";
import type { FileSystem } from "../../core/ports.ts";
import {
  type CheckpointEntry,
  readCheckpoints,
  usableCheckpoints,
} from "../../core/runFolder/checkpointLog.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { readRunModel } from "../../core/runFolder/runModel.ts";

export interface SavedCheckpointsOptions {
  readonly fileSystem: FileSystem;
  /** Distinguishes a run from a later one in the same folder; empty if unknown. */
  readonly runIdOf: (folder: string) => string;
}

interface Saved {
  readonly version: string;
  readonly entries: readonly CheckpointEntry[];
}

export function savedCheckpoints({ fileSystem, runIdOf }: SavedCheckpointsOptions) {
  const lists = new Map<string, Saved>();
  /** Whether a run is at Tinker, by folder and id; this never changes for a run. */
  const hosted = new Map<string, boolean>();
  const read = async (folder: string): Promise<readonly CheckpointEntry[]> => {
    const files = fileSystem.within(folder);
    const size = await files.size(runPaths(folder).checkpoints).catch(() => null);
    if (size === null) return [];
    const version = `${runIdOf(folder)} ${size}`;
    const known = lists.get(folder);
    if (known?.version === version) return known.entries;
    const entries = await readCheckpoints(files, folder).catch(() => []);
    lists.set(folder, { version, entries });
    return entries;
  };
  return {
    /** All checkpoints of the run in `folder`; empty if the list cannot be read. */
    read,
    /** Those that still exist, the newest first. */
    usable: async (folder: string): Promise<readonly CheckpointEntry[]> =>
      usableCheckpoints(await read(folder), Date.now()).toReversed(),
    /** True if the run's checkpoints are at Tinker; false while its folder does not say so. */
    isHosted: async (folder: string): Promise<boolean> => {
      const id = `${runIdOf(folder)} ${folder}`;
      const known = hosted.get(id);
      if (known !== undefined) return known;
      const model = await readRunModel(fileSystem.within(folder), folder);
      if (model === null) return false;
      const isHosted = !isLocalModel(model.model_name);
      hosted.set(id, isHosted);
      return isHosted;
    },
  };
}

/** The source of checkpoint rows. */
export type SavedSource = ReturnType<typeof savedCheckpoints>;
