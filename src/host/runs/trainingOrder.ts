/** What the editor hands a trainer: addresses from its settings, keys and leaves of the user. */

import { readFile } from "node:fs/promises";
import { parseConfig } from "../../core/config/parse.ts";
import { isLocalModel } from "../../core/config/presets.ts";
import { CONTROL_VERSION, type LaunchOrder } from "../../shared/control.ts";
import { readSetting } from "../settings.ts";
import type { TrainingWish } from "./trainings.ts";

/** Settings of the machine that hold an address, and the variable that the trainer reads. */
const ADDRESSES = [
  ["tinker.baseUrl", "TINKER_BASE_URL"],
  ["openReward.baseUrl", "OPENREWARD_BASE_URL"],
  ["openReward.environmentsUrl", "OPENREWARD_ENVIRONMENTS_URL"],
] as const;

export async function trainingOrder(wish: TrainingWish): Promise<LaunchOrder> {
  return {
    version: CONTROL_VERSION,
    keys: {},
    allowedHosts: [],
    variables: Object.fromEntries(
      ADDRESSES.map(([key, name]) => [name, readSetting(key)] as const).filter(
        ([, url]) => url !== "",
      ),
    ),
    readsEnvFile: true,
    onQuit: await onQuit(wish),
  };
}

async function onQuit({ configPath, overrides }: TrainingWish): Promise<LaunchOrder["onQuit"]> {
  const setting = readSetting("run.onQuit");
  if (setting !== "auto") return setting === "keepRunning" ? "keep running" : "stop and save";
  const text = await readFile(configPath, "utf8").catch(() => "");
  const result = parseConfig(text, { path: configPath, overrides });
  const isLocal = result.ok && isLocalModel(result.config.model_name);
  return isLocal ? "stop and save" : "keep running";
}
