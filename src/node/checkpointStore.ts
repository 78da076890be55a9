/** Location of the user's checkpoints for the embedded engine, and of trainers' notes about runs. */

import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { AppError, errorMessage } from "../core/errors.ts";
import { createFileSystem, writing } from "./fileSystem.ts";

/** The user's folder of embedded checkpoints; overridden by `TINKER_RL_STORE`. */
export function checkpointStore(): string {
  const chosen = process.env["TINKER_RL_STORE"];
  if (chosen !== undefined && chosen !== "") return chosen;
  return join(dataFolder(), "tinker-rl", "checkpoints");
}

/** Creates that folder and checks that it is writable. @throws AppError `disk`, naming the variable */
export async function makeCheckpointStore(): Promise<void> {
  const runs = join(checkpointStore(), "runs");
  try {
    await createFileSystem().makeDirectory(runs);
    // An existing folder may belong to another user or be on a read-only disk.
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
