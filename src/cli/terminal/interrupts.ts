/** Signals that ask a command to stop: Ctrl+C, a stop by the system, and a closed terminal. */

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Terminal } from "./terminal.ts";

/** The part of `process` that is used here. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

/** Calls its argument on each stop request, until the returned function is called. */
export type Interrupts = (onInterrupt: () => void) => () => void;

/** Runs `work` with a signal that an interrupt aborts with `reason`; removes the live line afterward. */
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
 * A closing terminal sends SIGHUP twice, itself and through its shell, so SIGHUP counts only as the first request. Under nohup it is always
 * ignored, because Node undoes what nohup set up. `parentStatus` comes from {@link readParentStatus}.
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

/** bash and zsh store the started program's name in the variable `_`, which nohup passes on. */
function isUnderNohup(env: NodeJS.Dict<string>): boolean {
  return basename(env["_"] ?? "") === "nohup";
}

/** The status file of this process's parent on Linux; null on other systems. */
export function readParentStatus(): string | null {
  try {
    return readFileSync(`/proc/${process.ppid}/status`, "utf8");
  } catch {
    return null;
  }
}

/** A script under nohup has another program in `_`, but ignores the signal itself. SIGHUP is the lowest bit of the mask. */
function ignoresSighup(status: string | null): boolean {
  return /^SigIgn:\s*[\da-f]*[13579bdf]$/m.test(status ?? "");
}
