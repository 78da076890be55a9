/** What the processes that serve have in common: the address in their arguments, and their end with the parent. */

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
  /** The parent no longer exists. */
  readonly gone: Promise<void>;
}

export function followParent(): Parent {
  // A parent that no longer exists reads no output; that is no reason to crash before the work is closed.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  // Ctrl+C reaches the whole terminal group; the parent still needs this process to end its work.
  if (!process.stdin.isTTY) process.on("SIGINT", () => undefined);
  return {
    asked: new Promise((resolve) => process.once("SIGTERM", () => resolve())),
    gone: new Promise((resolve) => process.stdin.once("close", () => resolve()).resume()),
  };
}

/** The one line on standard output that the parent waits for. */
export function reportReady(line: { readonly ready: boolean; readonly [key: string]: unknown }) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
