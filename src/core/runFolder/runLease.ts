/** The lease of one trainer on a run folder: keeps `run.json` up to date from the start of an attempt to its end. */

import type { ControlAddress, RunEnding, RunFile, RunPhase } from "../../shared/runFile.ts";
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

/** What a trainer changes in its `run.json` after the start. */
export interface RunFileChange {
  readonly phase?: RunPhase;
  readonly control?: ControlAddress | null;
  readonly ending?: RunEnding;
}

export class RunLease {
  readonly folder: string;
  /**
   * The files of the run. A trainer that was suspended for longer than a heartbeat asks whose run it is before it changes anything,
   * and after a change during which it was suspended, so that nothing follows from that change, such as an upload:
   * every change throws AppError `run-taken-over` when a later attempt has the folder.
   */
  readonly files: FolderFiles;
  readonly #ownFiles: FolderFiles;
  readonly #clock: Clock;
  readonly #writing = new Limiter(1);
  #file: RunFile;
  #ending: Promise<void> | null = null;
  /** When the folder was this attempt's own. */
  #ownedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ fileSystem, clock, folder, file }: RunLeaseOptions) {
    this.folder = folder;
    this.#ownFiles = fileSystem;
    this.files = changedByOwner(fileSystem, () => this.#requireRecentlyOwn());
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
    await writeRunFile(this.#ownFiles, this.folder, file);
    this.#file = file;
    this.#ownedAtMs = file.heartbeatAtMs;
  }

  /** Reads `run.json` only when the last heartbeat is overdue: another trainer takes over much later. */
  async #requireRecentlyOwn(): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#ownedAtMs < HEARTBEAT_MS) return;
    await this.#requireOwn();
    this.#ownedAtMs = now;
  }

  /**
   * A file that is missing or damaged belongs to no other trainer, and neither does one of an earlier attempt: that trainer was suspended
   * while it wrote, and its write ended after this attempt began.
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

/** The same files, each change of them between two calls of `requireOwned`. */
function changedByOwner(files: FolderFiles, requireOwned: () => Promise<void>): FolderFiles {
  // An append waits for those before it: only behind them it is asked whose run it is.
  const appending = new Limiter(1);
  const owned =
    <Args extends readonly unknown[], Result>(change: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await requireOwned();
      const result = await change(...args);
      await requireOwned();
      return result;
    };
  // Whoever takes the run over moves its files: a line for one that is open goes with it, another one may be for a new file.
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
