/** Where this user's checkpoints of the embedded engine are, and what trainers note about runs. */

import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { AppError, errorMessage } from "../core/errors.ts";
import { createFileSystem, writing } from "./fileSystem.ts";

/** The user's folder of embedded checkpoints; `TINKER_RL_STORE` names another. */
export function checkpointStore(): string {
  const chosen = process.env["TINKER_RL_STORE"];
  if (chosen !== undefined && chosen !== "") return chosen;
  return join(dataFolder(), "tinker-rl", "checkpoints");
}

/** Makes that folder, in which checkpoints can then be written. @throws AppError `disk` that names the variable */
export async function makeCheckpointStore(): Promise<void> {
  const runs = join(checkpointStore(), "runs");
  try {
    await createFileSystem().makeDirectory(runs);
    // A folder that was there before may belong to another user or lie on a read-only disk.
    await writing(runs, () => access(runs, constants.W_OK | constants.X_OK));
  } catch (cause) {
    const message = `${errorMessage(cause)} Checkpoints of embedded models are kept there; set TINKER_RL_STORE to keep them in another folder.`;
    throw new AppError("disk", message, { cause });
  }
}

function dataFolder(): string {
  if (process.platform === "win32") {
    return process.env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local");
  }
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support");
  const given = process.env["XDG_DATA_HOME"];
  return given === undefined || given === "" ? join(homedir(), ".local", "share") : given;
}
