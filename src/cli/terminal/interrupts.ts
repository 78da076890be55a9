/** The signals that ask a command to stop: Ctrl+C, a stop by the system, and a terminal that closes. */

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Terminal } from "./terminal.ts";

/** The part of `process` that is used here. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

/** Calls its argument at each request to stop, until the function that it returns is called. */
export type Interrupts = (onInterrupt: () => void) => () => void;

/** Works with a signal that an interrupt aborts with `reason`; what was live on the terminal then no longer is. */
export async function untilInterrupt<Result>(
  {
    interrupts,
    err,
  }: { readonly interrupts: Interrupts; readonly err: Pick<Terminal, "showLive"> },
  work: (signal: AbortSignal) => Promise<Result>,
  reason?: Error,
): Promise<Result> {
  const controller = new AbortController();
  const release = interrupts(() => controller.abort(reason));
  try {
    return await work(controller.signal);
  } finally {
    err.showLive(null);
    release();
  }
}

/**
 * A terminal that closes signals twice, once itself and once by its shell, so SIGHUP counts only as the first request. Under
 * nohup it is ignored throughout: Node itself undoes what nohup set up. `parentStatus` is {@link readParentStatus}.
 */
export function createInterrupts(
  source: SignalSource,
  env: NodeJS.Dict<string>,
  parentStatus: string | null,
): Interrupts {
  const ignoresHangUp = isUnderNohup(env) || ignoresSighup(parentStatus);
  if (ignoresHangUp) source.on("SIGHUP", () => undefined);
  return (onInterrupt) => {
    let isInterrupted = false;
    const onRequest = (): void => {
      isInterrupted = true;
      onInterrupt();
    };
    const onHangUp = (): void => {
      if (!isInterrupted && !ignoresHangUp) onRequest();
    };
    const listeners = [
      ["SIGINT", onRequest],
      ["SIGTERM", onRequest],
      ["SIGHUP", onHangUp],
    ] as const;
    for (const [signal, listener] of listeners) source.on(signal, listener);
    return () => {
      for (const [signal, listener] of listeners) source.off(signal, listener);
    };
  };
}

/** bash and zsh name the program that they started in the variable `_`, and nohup hands it on. */
function isUnderNohup(env: NodeJS.Dict<string>): boolean {
  return basename(env["_"] ?? "") === "nohup";
}

/** The file in which Linux describes the parent of this process; null on other systems. */
export function readParentStatus(): string | null {
  try {
    return readFileSync(`/proc/${process.ppid}/status`, "utf8");
  } catch {
    return null;
  }
}

/** A script under nohup names another program in `_`, but ignores the signal itself. SIGHUP is the lowest bit of the mask. */
function ignoresSighup(status: string | null): boolean {
  return /^SigIgn:\s*[\da-f]*[13579bdf]$/m.test(status ?? "");
}
