/** A run in a `.wandb` file, to be sent later by `wandb sync`: `docs/protocols/wandb.md#offline-files`. */

import { isAppError } from "../../../errors.ts";
import type { Clock, FolderFiles, Sha256 } from "../../../ports.ts";
import { concatBytes } from "../../../util/concatBytes.ts";
import type { ConsoleStream } from "../run/consoleLines.ts";
import type { ExtendedObject } from "../run/extendedJson.ts";
import { type RowTime, RunSummary } from "../run/runSummary.ts";
import { type Table, tableFile } from "../run/tableFile.ts";
import type { WandbRun, WandbRunInit } from "../run/wandbRun.ts";
import { FILE_HEADER, frameRecord } from "./log/framing.ts";
import {
  configRecord,
  encodeRecord,
  exitRecord,
  fileRecord,
  headerRecord,
  historyRecord,
  metricRecord,
  outputRecord,
  type RecordContent,
  runRecord,
  summaryRecord,
} from "./offlineRecords.ts";

export interface OfflineRunOptions {
  readonly fileSystem: FolderFiles;
  readonly clock: Clock;
  readonly sha256: Sha256;
  /** Name and version of this program. */
  readonly producer: string;
  /** The folder that contains the runs' folders. */
  readonly parent: string;
}

/** Where the run's earlier file ended. */
export interface OfflineStart {
  readonly nextStep: number;
  readonly runtimeS: number;
  /** When this attempt began. */
  readonly startedAtMs: number;
  /** True if there is an earlier file, or the server knows the run. */
  readonly isResumed: boolean;
}

/** Creates a new folder; an existing file is never appended to. @throws AppError `disk` */
export async function openOfflineRun(
  options: OfflineRunOptions,
  init: WandbRunInit,
  start: OfflineStart,
): Promise<OfflineRun> {
  const { fileSystem, parent } = options;
  await fileSystem.makeDirectory(parent);
  const folder = await claimFolder(
    fileSystem,
    `${parent}/offline-run-${timeStamp(start.startedAtMs)}-${init.id}`,
  );
  await fileSystem.makeDirectory(`${folder}/files`);
  return new OfflineRun(options, init, start, folder);
}

export class OfflineRun implements WandbRun {
  readonly folder: string;
  readonly path: string;
  readonly #options: OfflineRunOptions;
  readonly #runSummary: RunSummary;
  /** Framed but not written yet. */
  #bytes: Uint8Array[] = [FILE_HEADER];
  #size = FILE_HEADER.length;
  #records = 0;
  #isSummaryNew = false;

  constructor(
    options: OfflineRunOptions,
    init: WandbRunInit,
    { isResumed, ...spent }: OfflineStart,
    folder: string,
  ) {
    this.#options = options;
    this.folder = folder;
    this.path = offlinePath(folder, init.id);
    this.#runSummary = new RunSummary({ config: init.config, ...spent });
    this.#add(headerRecord(options.producer));
    this.#add(runRecord(init, spent.startedAtMs, isResumed));
  }

  /** Size of the file once everything so far is written. */
  get size(): number {
    this.#addSummary();
    return this.#size;
  }

  get runSummary(): Pick<RunSummary, "nextStep" | "runtimeS" | "restore"> {
    return this.#runSummary;
  }

  define(name: string): void {
    this.#runSummary.define(name);
    this.#add(metricRecord(name));
  }

  log(values: ExtendedObject, at: RowTime): void {
    const row = this.#runSummary.row(values, at);
    this.#add(historyRecord(row, this.#runSummary.nextStep - 1));
    this.#isSummaryNew = true;
  }

  updateConfig(update: ExtendedObject): void {
    this.#runSummary.updateConfig(update);
    this.#add(configRecord(update));
  }

  updateSummary(update: ExtendedObject): void {
    this.#runSummary.updateSummary(update);
    this.#add(summaryRecord(update));
  }

  print(stream: ConsoleStream, text: string, timeMs: number): void {
    this.#add(outputRecord(stream, text, timeMs));
  }

  async addFile(path: string, text: string): Promise<boolean> {
    await this.#write(path, text);
    this.#add(fileRecord(path, false));
    return true;
  }

  async addTable(key: string, table: Table, step: number): Promise<ExtendedObject> {
    const { path, text, cell } = tableFile(this.#options.sha256, key, step, table);
    await this.#write(path, text);
    this.#add(fileRecord(path, true));
    return cell;
  }

  addArtifact(): Promise<void> {
    return Promise.resolve();
  }

  /** Uses a single write, so that a kill leaves at most one torn end. */
  async flush(): Promise<void> {
    this.#addSummary();
    if (this.#bytes.length === 0) return;
    await this.#options.fileSystem.append(this.path, concatBytes(this.#bytes));
    this.#bytes = [];
  }

  async finish(exitCode: number): Promise<void> {
    this.#isSummaryNew = false;
    this.#add(summaryRecord(this.#runSummary.lastSummary(this.#options.clock.now())));
    this.#add(exitRecord(exitCode, this.#runSummary.runtimeS));
    await this.flush();
  }

  /** Needed because `wandb sync` does not compute one from the rows, and a killed attempt writes no end. */
  #addSummary(): void {
    if (!this.#isSummaryNew) return;
    this.#isSummaryNew = false;
    this.#add(summaryRecord(this.#runSummary.summary()));
  }

  #add(record: RecordContent): void {
    this.#records += 1;
    const framed = frameRecord(encodeRecord(record, this.#records), this.#size);
    this.#bytes.push(framed);
    this.#size += framed.length;
  }

  async #write(path: string, text: string): Promise<void> {
    const { fileSystem } = this.#options;
    const target = `${this.folder}/files/${path}`;
    await fileSystem.makeDirectory(target.slice(0, target.lastIndexOf("/")));
    await fileSystem.writeAtomic(target, text);
  }
}

/** The path of a run's file in its folder. */
export function offlinePath(folder: string, runId: string): string {
  return `${folder}/run-${runId}.wandb`;
}

/** Claims the folder, appending `-1`, `-2` … if it is taken. */
async function claimFolder(fileSystem: FolderFiles, stem: string): Promise<string> {
  for (let n = 0; ; n += 1) {
    const folder = n === 0 ? stem : `${stem}-${n}`;
    try {
      await fileSystem.claimDirectory(folder);
      return folder;
    } catch (error) {
      if (!isAppError(error, "exists")) throw error;
    }
  }
}

/** `20261120_142903`. */
function timeStamp(timeMs: number): string {
  const [date = "", time = ""] = new Date(timeMs).toISOString().split("T");
  return `${date.replaceAll("-", "")}_${time.slice(0, 8).replaceAll(":", "")}`;
}
