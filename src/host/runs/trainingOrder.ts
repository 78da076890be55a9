/** What the editor hands a trainer: addresses from its settings, keys and leaves of the user. */

import { parseConfig } from "../../core/config/parse.ts";
import { isLocalModel } from "../../core/config/presets.ts";
import { CONTROL_VERSION, type LaunchOrder } from "../../shared/control.ts";
import { addressVariables } from "../addressVariables.ts";
import type { Keys } from "../keys/createKeys.ts";
import type { LaunchConfig } from "../keys/launchKeys.ts";
import { readSetting } from "../settings.ts";
import { launchConfig } from "./launchConfig.ts";
import { requireNoSecret } from "./requireNoSecret.ts";
import type { TrainingWish } from "./trainings.ts";

/** Null when the user went away from a question. @throws AppError `secret-not-allowed` */
export async function trainingOrder(
  keys: Pick<Keys, "forLaunch">,
  wish: TrainingWish,
): Promise<LaunchOrder | null> {
  const config = await launchConfig(wish);
  requireNoSecret(config);
  const allowed = await keys.forLaunch(config);
  if (allowed === null) return null;
  return {
    version: CONTROL_VERSION,
    ...allowed,
    variables: addressVariables(),
    onQuit: onQuit(config),
  };
}

function onQuit({ text, path, overrides }: LaunchConfig): LaunchOrder["onQuit"] {
  const setting = readSetting("run.onQuit");
  if (setting !== "auto") return setting === "keepRunning" ? "keep running" : "stop and save";
  const result = parseConfig(text, { path, overrides });
  const isLocal = result.ok && isLocalModel(result.config.model_name);
  return isLocal ? "stop and save" : "keep running";
}
