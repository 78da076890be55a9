/** Whether another process is alive. */

import { hostname } from "node:os";

/** Processes on another `host` cannot be checked, so they count as alive. */
export function isProcessAlive(pid: number, host?: string): boolean {
  if (host !== undefined && host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process exists but cannot be signaled.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
