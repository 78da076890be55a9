/** Where this user's checkpoints of the embedded engine are, and what trainers note about runs. */

import { homedir } from "node:os";
import { join } from "node:path";

/** The user's folder of embedded checkpoints; `TINKER_RL_STORE` names another. */
export function checkpointStore(): string {
  const chosen = process.env["TINKER_RL_STORE"];
  if (chosen !== undefined && chosen !== "") return chosen;
  return join(dataFolder(), "tinker-rl", "checkpoints");
}

function dataFolder(): string {
  if (process.platform === "win32") {
    return process.env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local");
  }
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support");
  const given = process.env["XDG_DATA_HOME"];
  return given === undefined || given === "" ? join(homedir(), ".local", "share") : given;
}
