/** A run that the dashboard shows, and where in it. */

import type { RunFollower } from "../../core/runFolder/follower.ts";
import type { RolloutSet } from "../../shared/rolloutSet.ts";

export interface DashboardRun {
  readonly id: string;
  readonly name: string;
  /** May be shared with other views. */
  readonly follower: RunFollower;
}

/** A step or evaluation, or one of its rollouts; or what an alarm rests on. */
export type DashboardTarget =
  | (RolloutSet & {
      readonly rollout: { readonly group: number; readonly rollout: number } | null;
    })
  | { readonly alarm: string };

/** Messages name files by whole paths; the page sees the run's folder as people do. */
export function withShortFolder(
  text: string,
  { follower: { folder } }: DashboardRun,
  shortenPath: (path: string) => string,
): string {
  return text.replaceAll(folder, shortenPath(folder));
}
