/** A process's claim on a sweep. Only one process at a time starts its runs. */

import { AppError, errorMessage } from "../errors.ts";
import type { Clock, FileSystem, Log } from "../ports.ts";
import { HEARTBEAT_MS, isBeating, type Liveness, processText } from "../runFolder/runFile.ts";
import { claimFolder } from "../runFolder/runFolder.ts";
import { type KnownSweep, type Rung, type SweepFile, writeSweepFile } from "./sweepFile.ts";

export interface SweepLease extends KnownSweep {
  /** Records a decision, for whoever continues the sweep. @throws AppError `disk` */
  addRung(rung: Rung): Promise<void>;
  /** Afterwards, another process may continue the sweep. */
  release(): Promise<void>;
}

/** A sweep of which nothing was started. A number may be appended to its folder's name. */
export interface NewSweep {
  /** Contains the folders of runs. */
  readonly parent: string;
  readonly file: Omit<SweepFile, "startedAtMs" | "runner">;
}

interface LeaseOptions {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly log: Log;
  readonly isProcessAlive: Liveness["isProcessAlive"];
  /** This process. */
  readonly own: Pick<SweepFile["runner"], "pid" | "host">;
}

/**
 * Claims a known sweep, or a folder for a new one: `parent/name`, or `name-2`, `name-3` … if taken.
 * @throws AppError `sweep-in-use` while another process is working on it, `disk`
 */
export async function claimSweep(
  options: LeaseOptions,
  sweep: KnownSweep | NewSweep,
): Promise<SweepLease> {
  const { clock } = options;
  if ("folder" in sweep) requireFree(options, sweep);
  const known = "folder" in sweep ? sweep : await newSweep(options, sweep);
  let { file } = known;
  const beat = (heartbeatAtMs: number): Promise<void> => {
    const runner = { ...options.own, heartbeatAtMs };
    return writeSweepFile(options.fileSystem, { ...known, file: { ...file, runner } });
  };
  await beat(clock.now());
  const ending = new AbortController();
  const beating = keepBeating(options, () => beat(clock.now()), ending.signal);
  return {
    folder: known.folder,
    get file() {
      return file;
    },
    addRung: (rung) => {
      file = { ...file, rungs: [...file.rungs, rung] };
      return beat(clock.now());
    },
    release: async () => {
      ending.abort();
      await beating;
      await beat(0);
    },
  };
}

function requireFree({ clock, isProcessAlive }: LeaseOptions, { folder, file }: KnownSweep): void {
  if (!isBeating(file.runner, { nowMs: clock.now(), isProcessAlive })) return;
  throw new AppError(
    "sweep-in-use",
    `Process ${processText(file.runner)} is running the sweep in ${folder}. Wait until it ends, stop it, or start another sweep with another run_name.`,
    { data: { folder, pid: file.runner.pid } },
  );
}

async function newSweep(
  { fileSystem, clock, own }: LeaseOptions,
  { parent, file }: NewSweep,
): Promise<KnownSweep> {
  const name = await claimFolder(fileSystem, parent, file.name);
  const runner = { ...own, heartbeatAtMs: 0 };
  return {
    folder: `${parent}/${name}`,
    file: { ...file, name, startedAtMs: clock.now(), runner },
  };
}

async function keepBeating(
  { clock, log }: LeaseOptions,
  beat: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await clock.sleep(HEARTBEAT_MS, signal);
      await beat();
    } catch (error) {
      if (signal.aborted) return;
      log.warn("The heartbeat of the sweep could not be written.", { reason: errorMessage(error) });
    }
  }
}
