/** Removes the control socket left behind by a killed trainer. */

import { rm, rmdir } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";
import type { ControlAddress } from "../../shared/runFile.ts";
import { errorCode } from "../errorCode.ts";
import { isControlSocketPath } from "./socketPath.ts";

/**
 * Acts only if there is a socket at the address on which no one listens: a `run.json` may come from a stranger and name another run's
 * folder. Never fails.
 */
export async function removeDeadSocket(target: ControlAddress): Promise<void> {
  if (!isControlSocketPath(target) || !(await isDead(target.address))) return;
  try {
    await rm(target.address);
    await rm(target.tokenPath, { force: true });
    await rmdir(dirname(target.tokenPath));
  } catch {
    // The system also cleans up its temporary folder.
  }
}

function isDead(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once("error", (error) => resolve(errorCode(error) === "ECONNREFUSED"));
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
  });
}
