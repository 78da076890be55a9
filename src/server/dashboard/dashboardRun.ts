/** A run shown in the dashboard. */

import { AppError } from "../../core/errors.ts";
import type { RunFollower } from "../../core/runFolder/follower.ts";
import type { CommandArgs } from "../../shared/dashboardMessages.ts";

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

/** The path of a checkpoint that the page refers to. @throws AppError `no-such-checkpoint` */
export function checkpointPath(
  { follower }: DashboardRun,
  { name, which = "state" }: CommandArgs,
): string {
  const entry = follower.checkpoints.findLast((checkpoint) => checkpoint.name === name);
  const path = which === "sampler" ? entry?.sampler_path : entry?.state_path;
  if (path != null) return path;
  throw new AppError("no-such-checkpoint", `The run has no ${which} path for ${name}.`);
}
