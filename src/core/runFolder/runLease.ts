/** The lease of one trainer on a run folder: keeps `run.json` up to date from the start of an attempt to its end. */

import type { ControlAddress, RunEnding, RunFile, RunPhase } from "../../shared/runFile.ts";
import { AppError, errorMessage, isAppError } from "../errors.ts";
import type { Clock, FolderFiles, Log } from "../ports.ts";
import { Limiter } from "../util/limiter.ts";
import { runPaths } from "./layout.ts";
import { HEARTBEAT_MS, readRunFile } from "./runFile.ts";

export interface RunLeaseOptions {
  readonly fileSystem: FolderFiles;
  readonly clock: Clock;
  readonly folder: string;
  readonly file: RunFile;
}

/** What a trainer changes in its `run.json` after the start. */
export interface RunFileChange {
  readonly phase?: RunPhase;
  readonly control?: ControlAddress | null;
  readonly ending?: RunEnding;
}

export class RunLease {
  readonly folder: string;
  /** The files of the run. */
  readonly files: FolderFiles;
  readonly #clock: Clock;
  readonly #writing = new Limiter(1);
  #file: RunFile;
  #ending: Promise<void> | null = null;

  constructor({ fileSystem, clock, folder, file }: RunLeaseOptions) {
    this.folder = folder;
    this.files = fileSystem;
    this.#clock = clock;
    this.#file = file;
  }

  /** True once nothing is written any more. */
  get isOver(): boolean {
    return this.#ending !== null;
  }

  /** The file as written last. */
  get file(): RunFile {
    return this.#file;
  }

  /**
   * Writes `run.json` with the change and a new heartbeat; nothing after the end.
   * @throws AppError `disk`; `run-taken-over`, from then on nothing is written
   */
  update(change: RunFileChange = {}): Promise<void> {
    return this.#writing.run(async () => {
      if (this.#ending === null) await this.#write(change);
    });
  }

  /** Writes down how the attempt ended. The first end is the one that counts; a later call waits for it. @throws AppError `disk` */
  end(change: Omit<RunFileChange, "control"> & { readonly phase: RunPhase }): Promise<void> {
    this.#ending ??= this.#writing.run(() => this.#write({ ...change, control: null }));
    return this.#ending;
  }

  /** Leaves the folder to the next attempt in this process: from now on nothing is written. */
  release(): Promise<void> {
    this.#ending ??= this.#writing.run(async () => undefined);
    return this.#ending;
  }

  /**
   * Writes heartbeats until aborted or taken over, then resolves. A failed heartbeat is logged and tried again at the next one.
   * `onTakenOver` gets the error with which the attempt has to end: a process that was suspended counts as gone meanwhile.
   */
  async keepAlive(
    log: Log,
    signal: AbortSignal,
    onTakenOver: (error: AppError) => void,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#clock.sleep(HEARTBEAT_MS, signal);
        await this.update();
      } catch (error) {
        if (signal.aborted) return;
        if (isAppError(error, "run-taken-over")) return onTakenOver(error);
        log.warn("The heartbeat could not be written.", { reason: errorMessage(error) });
      }
    }
  }

  async #write(change: RunFileChange): Promise<void> {
    await this.#requireOwn();
    const file = { ...this.#file, ...change, heartbeatAtMs: this.#clock.now() };
    await writeRunFile(this.files, this.folder, file);
    this.#file = file;
  }

  /** A file that is missing or damaged belongs to nobody else. */
  async #requireOwn(): Promise<void> {
    const found = await readRunFile(this.files, this.folder).catch(() => null);
    const { pid, startedAtMs } = this.#file;
    if (found === null || (found.pid === pid && found.startedAtMs === startedAtMs)) return;
    this.#ending ??= Promise.resolve();
    throw takenOver(this.folder, found);
  }
}

/**
 * For what must not be written by a trainer that was suspended meanwhile, even before its next heartbeat.
 * @throws AppError `run-taken-over` when a later attempt has the folder
 */
export async function requireOwnAttempt(
  fileSystem: FolderFiles,
  folder: string,
  attempt: number,
): Promise<void> {
  const found = await readRunFile(fileSystem, folder).catch(() => null);
  if (found !== null && found.attempt > attempt) throw takenOver(folder, found);
}

function takenOver(folder: string, { pid, owner }: RunFile): AppError {
  return new AppError(
    "run-taken-over",
    `Process ${pid} (${owner}) has taken over the run in ${folder}, because this one was suspended and its heartbeat had stopped. This process ends and leaves the folder to the other one.`,
    { data: { folder, pid } },
  );
}

export async function writeRunFile(
  fileSystem: FolderFiles,
  folder: string,
  file: RunFile,
): Promise<void> {
  await fileSystem.writeAtomic(runPaths(folder).runFile, `${JSON.stringify(file, null, 2)}\n`);
}
