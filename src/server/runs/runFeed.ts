/** Keeps followers of viewed runs up to date, and drops those that no one views. */

import type { FSWatcher } from "node:fs";
import type { FileSystem } from "../../core/ports.ts";
import { type RunChange, RunFollower } from "../../core/runFolder/follower.ts";
import { Emitter, type Listening } from "../../core/util/emitter.ts";
import { type Soon, soon } from "../../node/soon.ts";
import type { RunStore } from "./runStore.ts";
import { tryWatch } from "./tryWatch.ts";

/** A run being viewed. Dispose it together with its view. */
export interface FollowedRun extends Listening {
  readonly follower: RunFollower;
  /** Fires after each read that found changes. */
  readonly onDidChange: Emitter<RunChange>["event"];
  /** Reads now. @throws AppError `file-unreadable` */
  refresh(): Promise<void>;
}

interface Feed {
  readonly follower: RunFollower;
  readonly changed: Emitter<RunChange>;
  readonly watcher: FSWatcher | null;
  users: number;
  readonly readSoon: Soon;
}

/** Minimum time between two reads of a run. */
const READ_MS = 250;

export class RunFeeds {
  readonly #feeds = new Map<string, Feed>();
  readonly #fileSystem: FileSystem;
  readonly #onError: (error: unknown) => void;
  readonly #onClosed: (() => void) | undefined;
  readonly #listening: Listening;

  constructor(options: {
    readonly store: Pick<RunStore, "onDidChange">;
    readonly fileSystem: FileSystem;
    readonly onError: (error: unknown) => void;
    /** Called when a run is no longer viewed. */
    readonly onClosed?: (() => void) | undefined;
  }) {
    this.#fileSystem = options.fileSystem;
    this.#onError = options.onError;
    this.#onClosed = options.onClosed;
    this.#listening = options.store.onDidChange((folder) => {
      for (const [own, feed] of this.#feeds) {
        if (folder === null || folder === own) feed.readSoon();
      }
    });
  }

  /** Follows the run in `folder`; users of the same run share one follower. */
  follow(folder: string): FollowedRun {
    const feed = this.#feeds.get(folder) ?? this.#open(folder);
    feed.users += 1;
    let isUsed = true;
    return {
      follower: feed.follower,
      onDidChange: feed.changed.event,
      refresh: () => this.#read(feed),
      dispose: () => {
        if (!isUsed) return;
        isUsed = false;
        feed.users -= 1;
        if (feed.users === 0) this.#close(folder, feed);
      },
    };
  }

  /** Follows the run in `folder` while `use` reads it. */
  async with<T>(folder: string, use: (run: FollowedRun) => Promise<T>): Promise<T> {
    const run = this.follow(folder);
    try {
      return await use(run);
    } finally {
      run.dispose();
    }
  }

  close(): void {
    this.#listening.dispose();
    for (const [folder, feed] of this.#feeds) this.#close(folder, feed);
  }

  #open(folder: string): Feed {
    const readSoon = soon(READ_MS, () => void this.#read(feed).catch(this.#onError));
    const feed: Feed = {
      follower: new RunFollower({ fileSystem: this.#fileSystem, folder }),
      changed: new Emitter(this.#onError),
      // A trainer on this computer reports over its socket; the watcher covers all others.
      watcher: tryWatch(folder, readSoon),
      users: 0,
      readSoon,
    };
    this.#feeds.set(folder, feed);
    readSoon();
    return feed;
  }

  #close(folder: string, feed: Feed): void {
    this.#feeds.delete(folder);
    feed.watcher?.close();
    feed.readSoon.dispose();
    this.#onClosed?.();
  }

  async #read(feed: Feed): Promise<void> {
    feed.changed.fire(await feed.follower.refresh());
  }
}
