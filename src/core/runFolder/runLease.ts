/** A trainer's lease on a run folder: keeps `run.json` up to date from the start of an attempt to its end. */

import type {
  ControlAddress,
  RunEnding,
  RunFile,
  RunPhase,
  SweepMember,
} from "../../shared/runFile.ts";
import { AppError, errorMessage, isAppError } from "../errors.ts";
import type { Clock, FolderFiles, Log } from "../ports.ts";
import { Limiter } from "../util/limiter.ts";
import { runPaths } from "./files/layout.ts";
import { HEARTBEAT_MS, processText, readRunFile } from "./runFile.ts";

export interface RunLeaseOptions {
  readonly fileSystem: FolderFiles;
  readonly clock: Clock;
  readonly folder: string;
  readonly file: RunFile;
}

/** Fields of `run.json` that a trainer changes after the start. */
export interface RunFileChange {
  readonly phase?: RunPhase;
  readonly control?: ControlAddress | null;
  readonly ending?: RunEnding;
  readonly sweep?: SweepMember | undefined;
}

export class RunLease {
  readonly folder: string;
  /**
   * The run's files. Every change throws AppError `run-taken-over` if a later attempt owns the folder. A trainer whose last
   * heartbeat is overdue, because it was suspended, checks this before each change, and again afterwards, so that nothing such as
   * an upload follows from a change made while it was suspended.
   */
  readonly files: FolderFiles;
  readonly #ownFiles: FolderFiles;
  readonly #clock: Clock;
  readonly #writing = new Limiter(1);
  #file: RunFile;
  #ending: Promise<void> | null = null;
  /** When the folder was last known to belong to this attempt. */
  #ownedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ fileSystem, clock, folder, file }: RunLeaseOptions) {
    this.folder = folder;
    this.#ownFiles = fileSystem;
    this.files = changedByOwner(fileSystem, () => this.#requireRecentlyOwn());
    this.#clock = clock;
    this.#file = file;
  }

  /** True once nothing more is written. */
  get isOver(): boolean {
    return this.#ending !== null;
  }

  /** The file as last written. */
  get file(): RunFile {
    return this.#file;
  }

  /**
   * Writes `run.json` with the change and a new heartbeat; does nothing after the end.
   * @throws AppError `disk`; `run-taken-over`, after which nothing is written
   */
  update(change: RunFileChange = {}): Promise<void> {
    return this.#writing.run(async () => {
      if (this.#ending === null) await this.#write(change);
    });
  }

  /** Records how the attempt ended. Only the first call counts; later ones wait for it. @throws AppError `disk` */
  end(change: Omit<RunFileChange, "control"> & { readonly phase: RunPhase }): Promise<void> {
    this.#ending ??= this.#writing.run(() => this.#write({ ...change, control: null }));
    return this.#ending;
  }

  /** Leaves the folder to the next attempt in this process: nothing more is written. */
  release(): Promise<void> {
    this.#ending ??= this.#writing.run(async () => undefined);
    return this.#ending;
  }

  /**
   * Writes heartbeats until aborted or taken over, then resolves. A failed heartbeat is logged and retried at the next interval.
   * `onTakenOver` receives the error that the attempt must end with, if the process was suspended for so long that another one
   * took over.
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
    await writeRunFile(this.#ownFiles, this.folder, file);
    this.#file = file;
    this.#ownedAtMs = file.heartbeatAtMs;
  }

  /** Reads `run.json` only if the last heartbeat is overdue, since another trainer takes over much later than that. */
  async #requireRecentlyOwn(): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#ownedAtMs < HEARTBEAT_MS) return;
    await this.#requireOwn();
    this.#ownedAtMs = now;
  }

  /**
   * A missing or damaged file belongs to no other trainer. Neither does a file of an earlier attempt: that trainer was suspended
   * during its write, which finished after this attempt began.
   */
  async #requireOwn(): Promise<void> {
    const found = await readRunFile(this.#ownFiles, this.folder).catch(() => null);
    const { pid, startedAtMs, attempt } = this.#file;
    if (found === null || found.attempt < attempt) return;
    if (found.pid === pid && found.startedAtMs === startedAtMs) return;
    this.#ending ??= Promise.resolve();
    throw takenOver(this.folder, found);
  }
}

/** The same files, with `requireOwned` called before and after each change. */
function changedByOwner(files: FolderFiles, requireOwned: () => Promise<void>): FolderFiles {
  // Appends run one at a time, so that each checks ownership only after the previous one is done.
  const appending = new Limiter(1);
  const owned =
    <Args extends readonly unknown[], Result>(change: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await requireOwned();
      const result = await change(...args);
      await requireOwned();
      return result;
    };
  // A take-over moves the run's files: a line for a file that is already open moves with it, but any other write may land in a new file.
  const append = owned((path: string, data: string | Uint8Array) =>
    files.append(path, data, requireOwned),
  );
  return {
    ...files,
    append: (path, data) => appending.run(() => append(path, data)),
    writeAtomic: owned(files.writeAtomic),
    makeDirectory: owned(files.makeDirectory),
    rename: owned(files.rename),
    remove: owned(files.remove),
    truncate: owned(files.truncate),
  };
}

function takenOver(folder: string, found: RunFile): AppError {
  const { pid, owner } = found;
  return new AppError(
    "run-taken-over",
    `Process ${processText(found)} (${owner}) has taken over the run in ${folder}, because this process was suspended and its heartbeat stopped. This process ends.`,
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
