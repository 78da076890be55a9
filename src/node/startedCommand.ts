/** Starts a command of the user for {@link ./keepCommand.ts}. */

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { errorCode } from "./errorCode.ts";

/**
 * Resolves once the command runs, without a window of its own. `python` is `python3` where there is no other, as on macOS.
 * @throws what the system says when it cannot be started
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
