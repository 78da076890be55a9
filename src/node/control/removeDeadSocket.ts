/** Removes what a trainer that was killed has left of its control socket. */

import { rm, rmdir } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";
import type { ControlAddress } from "../../shared/runFile.ts";
import { errorCode } from "../errorCode.ts";
import { isControlSocketPath } from "./socketPath.ts";

/**
 * Does nothing unless a socket lies at the address that nobody listens on: a `run.json` may come from a stranger and name the folder of
 * another run. Never fails.
 */
export async function removeDeadSocket(target: ControlAddress): Promise<void> {
  if (!isControlSocketPath(target) || !(await isDead(target.address))) return;
  try {
    await rm(target.address);
    await rm(target.tokenPath, { force: true });
    await rmdir(dirname(target.tokenPath));
  } catch {
    // The folder of temporary files is emptied by the system, too.
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
