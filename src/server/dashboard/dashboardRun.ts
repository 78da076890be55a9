/** A run that the dashboard shows. */

import type { RunFollower } from "../../core/runFolder/follower.ts";

export interface DashboardRun {
  readonly id: string;
  readonly name: string;
  /** May be shared with other views. */
  readonly follower: RunFollower;
}

/** Messages name files by whole paths; the page sees the run's folder as people do. */
export function withShortFolder(
  text: string,
  { follower: { folder } }: DashboardRun,
  shortenPath: (path: string) => string,
): string {
  return text.replaceAll(folder, shortenPath(folder));
}
