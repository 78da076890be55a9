/** The location of a trainer's control socket, and validation of addresses read from files. */

import { posix, win32 } from "node:path";
import type { ControlAddress } from "../../shared/runFile.ts";

/** Prefix of the private folder's name, and of the pipe's on Windows. */
export const CONTROL_FOLDER_PREFIX = "tinker-rl-run-";
export const CONTROL_SOCKET = "control.sock";
export const CONTROL_TOKEN = "token";

const PIPE = `\\\\.\\pipe\\${CONTROL_FOLDER_PREFIX}`;
/** Requires a local drive: merely reading a path on another machine would reveal the user's identity to it. */
const DRIVE = /^[A-Za-z]:[\\/]/;
const TOKEN = /^[\w-]{43}$/;

/**
 * True for an address in the form that trainers create. A run folder may come from a stranger: its `run.json` must not make a reader send
 * the content of a file to another program, on Windows possibly on another machine.
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

/** True for a token in the form that trainers create: 32 bytes as base64url. */
export function isControlToken(text: string): boolean {
  return TOKEN.test(text);
}
