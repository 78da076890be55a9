/** A run shown in the dashboard. */

import type { RunFollower } from "../../core/runFolder/follower.ts";

export interface DashboardRun {
  readonly id: string;
  readonly name: string;
  /** May be shared with other views. */
  readonly follower: RunFollower;
}

/** Shortens the run's folder in messages, which contain absolute paths. */
export function withShortFolder(
  text: string,
  { follower: { folder } }: DashboardRun,
  shortenPath: (path: string) => string,
): string {
  return text.replaceAll(folder, shortenPath(folder));
}
