/** Where a trainer's control socket lies, and whether an address read from a file can be one. */

import { posix, win32 } from "node:path";
import type { ControlAddress } from "../../shared/runFile.ts";

/** Begins the name of the private folder with socket and token, and of the pipe on Windows. */
export const CONTROL_FOLDER_PREFIX = "tinker-rl-run-";
export const CONTROL_SOCKET = "control.sock";
export const CONTROL_TOKEN = "token";

const PIPE = `\\\\.\\pipe\\${CONTROL_FOLDER_PREFIX}`;
/** Reading a path of another machine would already show it who the user is. */
const DRIVE = /^[A-Za-z]:[\\/]/;
const TOKEN = /^[\w-]{43}$/;

/**
 * True for an address as a trainer makes it. A run folder may come from a stranger: its `run.json` must not make a reader send the
 * content of some file to some other program, on Windows even one on another machine.
 */
export function isControlSocketPath(
  { address, tokenPath }: ControlAddress,
  platform: NodeJS.Platform = process.platform,
): boolean {
  const { basename, dirname, join } = platform === "win32" ? win32 : posix;
  const folder = dirname(tokenPath);
  const isOwnFolder = basename(folder).startsWith(CONTROL_FOLDER_PREFIX);
  if (!isOwnFolder || basename(tokenPath) !== CONTROL_TOKEN) return false;
  if (platform === "win32") return address.startsWith(PIPE) && DRIVE.test(tokenPath);
  return address === join(folder, CONTROL_SOCKET);
}

/** True for a token as a trainer makes it: 32 bytes as base64url. */
export function isControlToken(text: string): boolean {
  return TOKEN.test(text);
}
