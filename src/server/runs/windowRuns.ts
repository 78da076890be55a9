import type { RunFeeds } from "./runFeed.ts";
import type { RunStore } from "./runStore.ts";

/** What the rest of the server asks about the runs of its window. */
export interface WindowRuns {
  readonly store: RunStore;
  readonly feeds: RunFeeds;
  /** True when the runs table leaves it out. */
  readonly isArchived: (folder: string) => boolean;
  readonly close: () => void;
}
