/** Refuses a configuration other than the one for which an editor released its keys. */

import { AppError } from "../../core/errors.ts";
import { type StartConfig, startDigest } from "../../node/startConfig.ts";
import type { LaunchRequest } from "../../shared/control.ts";

/** The editor released keys for the configuration that it read. @throws AppError `config-changed` */
export function requireJudged({ training }: LaunchRequest, start: StartConfig): void {
  if (training.digest === startDigest(start)) return;
  throw new AppError(
    "config-changed",
    `${start.path} or the settings of its run changed while the run was starting, and keys were approved for the earlier version. Start it again.`,
  );
}
