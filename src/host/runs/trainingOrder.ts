/** What the editor hands a trainer: addresses from its settings, keys and leaves of the user. */

import { readFile } from "node:fs/promises";
import { parseConfig } from "../../core/config/parse.ts";
import { isLocalModel } from "../../core/config/presets.ts";
import { CONTROL_VERSION, type LaunchOrder } from "../../shared/control.ts";
import { addressVariables } from "../addressVariables.ts";
import type { Keys } from "../keys/createKeys.ts";
import { readSetting } from "../settings.ts";
import type { TrainingWish } from "./trainings.ts";

/** Null when the user went away from a question. */
export async function trainingOrder(
  keys: Pick<Keys, "forLaunch">,
  wish: TrainingWish,
): Promise<LaunchOrder | null> {
  const { configPath: path, overrides } = wish;
  const text = await readFile(path, "utf8").catch(() => "");
  const allowed = await keys.forLaunch({ path, text, overrides });
  if (allowed === null) return null;
  return {
    version: CONTROL_VERSION,
    ...allowed,
    variables: addressVariables(),
    onQuit: onQuit(text, wish),
  };
}

function onQuit(text: string, { configPath, overrides }: TrainingWish): LaunchOrder["onQuit"] {
  const setting = readSetting("run.onQuit");
  if (setting !== "auto") return setting === "keepRunning" ? "keep running" : "stop and save";
  const result = parseConfig(text, { path: configPath, overrides });
  const isLocal = result.ok && isLocalModel(result.config.model_name);
  return isLocal ? "stop and save" : "keep running";
}
