/** Starts one of the user's commands for {@link ./keepCommand.ts}. */

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { errorCode } from "./errorCode.ts";

/**
 * Resolves once the command runs, without a window. `python` falls back to `python3` if it does not exist, as on macOS.
 * @throws a system error if it cannot be started
 */
export async function startedCommand(
  [program = "", ...args]: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  try {
    const child = spawn(program, args, { ...options, windowsHide: true });
    await once(child, "spawn");
    return child;
  } catch (error) {
    if (program !== "python" || errorCode(error) !== "ENOENT") throw error;
    return await startedCommand(["python3", ...args], options).catch(() => Promise.reject(error));
  }
}
