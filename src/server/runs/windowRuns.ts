import type { RunFeeds } from "./runFeed.ts";
import type { RunStore } from "./runStore.ts";

/** The window's runs, for the rest of the server. */
export interface WindowRuns {
  readonly store: RunStore;
  readonly feeds: RunFeeds;
  /** True if the runs table hides it. */
  readonly isArchived: (folder: string) => boolean;
  readonly close: () => void;
}
