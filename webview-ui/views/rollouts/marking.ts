/** Stars and pins of rollouts, by key or button. */

import type { Mark, MarkChange } from "../../../src/shared/marks.ts";
import type { RolloutKey } from "../../../src/shared/rolloutSet.ts";
import type { DashboardModel } from "../../model/dashboardModel.ts";

/** What a single key marks; null for other keys. */
export function markKey(key: string): "star" | "pin" | null {
  if (key === "s") return "star";
  return key === "p" ? "pin" : null;
}

export function toggleMark(
  dashboard: DashboardModel,
  key: RolloutKey,
  which: "star" | "pin",
  mark: Mark,
): void {
  markRollout(dashboard, key, { [which]: !mark[which] });
}

export function markRollout(
  { host }: DashboardModel,
  { source, step, group, rollout }: RolloutKey,
  mark: MarkChange,
): void {
  host.command("markRollout", { key: { source, step, group, rollout }, mark });
}
