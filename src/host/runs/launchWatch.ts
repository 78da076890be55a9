/** Watches a launch from its start, or from when a new window finds it, until it ends. */

import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../core/errors.ts";
import { ControlClient } from "../../node/control/client.ts";
import { launchFiles, outputPath, readLaunch } from "../../node/launch/launchStore.ts";
import type { ControlAction, LaunchFile } from "../../shared/control.ts";
import { tailFile } from "./tail.ts";

export interface LaunchEnd {
  /** Null if the process ended without a record: it was killed, or the machine crashed. */
  readonly exitCode: number | null;
  readonly error: LaunchFile["error"];
  /** The run's folder (for a sweep, its last run's); null if it never had one. */
  readonly folder: string | null;
}

export interface LaunchWatchOptions {
  readonly onOutput: (text: string) => void;
  /** Called when the run has a folder. */
  readonly onFolder: (folder: string) => void;
}

export type TerminalAction = Exclude<ControlAction, "change-settings" | "status" | "attach">;

/** Polling interval for the trainer's record; events within a run arrive over the socket. */
const LOOK_MS = 500;

/** Resolves when the trainer has ended. */
export async function watchLaunch(folder: string, options: LaunchWatchOptions): Promise<LaunchEnd> {
  const { onFolder, onOutput } = options;
  const tail = tailFile(launchFiles(folder), outputPath(folder), onOutput);
  let known: string | null = null;
  for (;;) {
    const launch = await readLaunch(folder);
    const runFolder = launch?.file?.folder ?? null;
    if (runFolder !== null && runFolder !== known) onFolder(runFolder);
    known = runFolder ?? known;
    if (launch === null || !launch.isAlive) {
      await tail.finish();
      // Read once more: the record may have been written just before the process ended.
      const last = (await readLaunch(folder))?.file ?? null;
      return { exitCode: last?.exitCode ?? null, error: last?.error ?? null, folder: known };
    }
    await sleep(LOOK_MS);
  }
}

/**
 * Sends an action to a launch, even before it has a run folder; resolves with what will happen.
 * @throws AppError `run-not-reachable`, or the trainer's refusal
 */
export async function sendAction(folder: string, action: TerminalAction): Promise<string> {
  const control = (await readLaunch(folder))?.file?.control ?? null;
  if (control === null)
    throw new AppError(
      "run-not-reachable",
      "The trainer is still starting. Try again in a few seconds.",
    );
  return (await ControlClient.sendOnce(control, { action })).message;
}
