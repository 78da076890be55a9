/** Caches runs' checkpoint lists and rereads them only when they have grown, because views query all of them while a run is live. */

import { isLocalModel } from "../../core/config/fields/presets.ts";
import type { FileSystem } from "../../core/ports.ts";
import { type CheckpointEntry, readCheckpoints } from "../../core/runFolder/checkpointLog.ts";
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

export class SavedCheckpoints {
  readonly #options: SavedCheckpointsOptions;
  readonly #known = new Map<string, Saved>();
  /** Whether a run is at Tinker, by folder and id; this never changes for a run. */
  readonly #hosted = new Map<string, boolean>();

  constructor(options: SavedCheckpointsOptions) {
    this.#options = options;
  }

  /** True if the run's checkpoints are at Tinker; false while its folder does not say so. */
  async isHosted(folder: string): Promise<boolean> {
    const { fileSystem, runIdOf } = this.#options;
    const id = `${runIdOf(folder)} ${folder}`;
    const known = this.#hosted.get(id);
    if (known !== undefined) return known;
    const model = await readRunModel(fileSystem.within(folder), folder);
    if (model === null) return false;
    const isHosted = !isLocalModel(model.model_name);
    this.#hosted.set(id, isHosted);
    return isHosted;
  }

  /** All checkpoints of the run in `folder`; empty if the list cannot be read. */
  async read(folder: string): Promise<readonly CheckpointEntry[]> {
    const { fileSystem, runIdOf } = this.#options;
    const files = fileSystem.within(folder);
    const size = await files.size(runPaths(folder).checkpoints).catch(() => null);
    if (size === null) return [];
    const version = `${runIdOf(folder)} ${size}`;
    const known = this.#known.get(folder);
    if (known?.version === version) return known.entries;
    const entries = await readCheckpoints(files, folder).catch(() => []);
    this.#known.set(folder, { version, entries });
    return entries;
  }
}
