/** The path of a checkpoint that the page refers to. */

import { AppError } from "../../core/errors.ts";
import type { CommandArgs } from "../../shared/dashboardMessages.ts";
import type { DashboardRun } from "./dashboardRun.ts";

/** @throws AppError `no-such-checkpoint` */
export function checkpointPath(
  { follower }: DashboardRun,
  { name, which = "state" }: CommandArgs,
): string {
  const entry = follower.checkpoints.findLast((checkpoint) => checkpoint.name === name);
  const path = which === "sampler" ? entry?.sampler_path : entry?.state_path;
  if (path != null) return path;
  throw new AppError("no-such-checkpoint", `The run has no ${which} path for ${name}.`);
}
