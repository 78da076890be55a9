/** Shared parts of server processes: the address argument, and ending with the parent. */

import { rmdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { ListenTarget } from "./listen.ts";

export const ADDRESS_OPTIONS = { socket: { type: "string" }, port: { type: "string" } } as const;

/** Null unless there is exactly one address. */
export function readTarget({
  socket,
  port,
}: {
  readonly socket?: string | undefined;
  readonly port?: string | undefined;
}): ListenTarget | null {
  if (socket !== undefined && port === undefined) return { kind: "socket", path: socket };
  const isPort = port !== undefined && /^\d{1,5}$/.test(port) && Number(port) <= 65_535;
  return socket === undefined && isPort ? { kind: "port", port: Number(port) } : null;
}

export interface Parent {
  /** The parent asked this process to end. */
  readonly asked: Promise<void>;
  /** The parent has died. */
  readonly gone: Promise<void>;
}

export function followParent(): Parent {
  // A dead parent reads no output; that must not crash this process before it has cleaned up.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  // Ctrl+C reaches the whole terminal group, but the parent still needs this process to finish its work.
  if (!process.stdin.isTTY) process.on("SIGINT", () => undefined);
  return {
    asked: new Promise((resolve) => process.once("SIGTERM", () => resolve())),
    gone: new Promise((resolve) => process.stdin.once("close", () => resolve()).resume()),
  };
}

/** Name prefix of the private folder that a parent creates for a service's socket. */
export const SERVICE_FOLDER_PREFIX = "tinker-rl-";

/** Removes that folder, because a killed parent cannot. Keeps other folders and nonempty ones. */
export async function removeSocketFolder(target: ListenTarget): Promise<void> {
  if (target.kind !== "socket") return;
  const folder = dirname(target.path);
  if (!basename(folder).startsWith(SERVICE_FOLDER_PREFIX)) return;
  await rmdir(folder).catch(() => undefined);
}

/** The line on standard output that the parent waits for. */
export function reportReady(line: { readonly ready: boolean; readonly [key: string]: unknown }) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
