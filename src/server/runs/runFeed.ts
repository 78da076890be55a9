/** Keeps the followers of runs that someone looks at up to date, and forgets those that no one does. */

import type { FSWatcher } from "node:fs";
import type { FileSystem } from "../../core/ports.ts";
import { type RunChange, RunFollower } from "../../core/runFolder/follower.ts";
import { Emitter, type Listening } from "../../core/util/emitter.ts";
import { type Soon, soon } from "../../node/soon.ts";
import type { RunStore } from "./runStore.ts";
import { tryWatch } from "./tryWatch.ts";

/** One run that is looked at. Dispose it when the view of it no longer exists. */
export interface FollowedRun extends Listening {
  readonly follower: RunFollower;
  /** Called after each reading that found something. */
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

/** Between two readings of a run. */
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
    /** Called when a run is not read any more. */
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

  /** Follows the run in `folder`; several users share one follower. */
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

  close(): void {
    this.#listening.dispose();
    for (const [folder, feed] of this.#feeds) this.#close(folder, feed);
  }

  #open(folder: string): Feed {
    const readSoon = soon(READ_MS, () => void this.#read(feed).catch(this.#onError));
    const feed: Feed = {
      follower: new RunFollower({ fileSystem: this.#fileSystem, folder }),
      changed: new Emitter(this.#onError),
      // A trainer of this computer reports over its socket; the watch is for all others.
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
