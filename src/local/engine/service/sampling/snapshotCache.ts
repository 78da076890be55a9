/** LRU cache of sampler weights in memory. */

import type { Engine, Snapshot } from "../../engine.ts";
import { userFault } from "../http/faults.ts";

export interface SnapshotCacheOptions {
  readonly engine: Engine;
  /** Number of snapshots kept while unused. */
  readonly capacity?: number;
}

/** An asynchronous loop uses a handful of samplers; the rest is slack for notebooks. */
const DEFAULT_CAPACITY = 32;

interface Entry {
  readonly snapshot: Promise<Snapshot>;
  users: number;
  isDropped: boolean;
}

export class SnapshotCache {
  readonly #engine: Engine;
  readonly #capacity: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();

  constructor({ engine, capacity = DEFAULT_CAPACITY }: SnapshotCacheOptions) {
    this.#engine = engine;
    this.#capacity = capacity;
  }

  /** Adds a snapshot that has no file: once evicted, it no longer exists. */
  put(key: string, snapshot: Snapshot): void {
    this.#entries.set(key, { snapshot: Promise.resolve(snapshot), users: 0, isDropped: false });
    this.#evict();
  }

  /**
   * Runs `task` with the snapshot, which is not evicted meanwhile. `load` reloads an evicted one; null = not possible.
   * @throws AppError `invalid-request` if it was evicted and cannot be reloaded
   */
  async use<T>(
    key: string,
    load: (() => Promise<Snapshot>) | null,
    task: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    const entry = this.#entries.get(key) ?? this.#load(key, load);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.users += 1;
    try {
      return await task(await entry.snapshot);
    } finally {
      entry.users -= 1;
      if (entry.isDropped) this.#releaseIdle(entry);
      this.#evict();
    }
  }

  /** Drops a snapshot; its memory is freed once nothing uses it. */
  drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    entry.isDropped = true;
    this.#releaseIdle(entry);
  }

  #load(key: string, load: (() => Promise<Snapshot>) | null): Entry {
    if (load === null) {
      throw userFault(
        `The sampler ${key} no longer exists: this server keeps the ${this.#capacity} unnamed samplers used last. ` +
          "Save sampler weights under a name to keep them.",
      );
    }
    const snapshot = load();
    snapshot.catch(() => this.#entries.delete(key)); // the next use retries
    return { snapshot, users: 0, isDropped: false };
  }

  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= this.#capacity) return;
      if (entry.users === 0) this.drop(key);
    }
  }

  #releaseIdle(entry: Entry): void {
    if (entry.users > 0) return;
    // A snapshot that failed to load has nothing to release.
    void entry.snapshot.then(
      (snapshot) => this.#engine.releaseSnapshot(snapshot),
      () => undefined,
    );
  }
}
