/** Whether another process lives. */

import { hostname } from "node:os";

/** With the name of its computer: of a process elsewhere nothing is known, so it counts as alive. */
export function isProcessAlive(pid: number, host?: string): boolean {
  if (host !== undefined && host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists, but may not be signalled.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
