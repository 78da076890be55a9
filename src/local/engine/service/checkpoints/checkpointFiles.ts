/** Files of the checkpoint store: a folder per run, in it weights with a record beside them. No rules live here. */

import { join } from "node:path";
import type * as z from "zod";
import { isAppError } from "../../../../core/errors.ts";
import type { FileSystem, FolderFiles } from "../../../../core/ports.ts";
import { CHECKPOINT_KINDS, type CheckpointKind } from "../../../../core/tinker/paths.ts";
import { parseJson } from "../../../../core/util/jsonl.ts";
import { sha256 } from "../../../../node/hash.ts";
import {
  type CheckpointRecord,
  checkpointRecordSchema,
  runRecordSchema,
  type TrainingRunRecord,
} from "./checkpointRecord.ts";
import type { CheckpointKey } from "./tinkerPath.ts";

export interface CheckpointFilesOptions {
  readonly root: string;
  readonly files: FileSystem;
  /** Makes the names of data files differ between two saves of one name. */
  readonly uuid: () => string;
}

export interface RunRecords {
  readonly records: readonly CheckpointRecord[];
  /** False when a record could not be read: then files that none of `records` names may still be needed. */
  readonly isComplete: boolean;
}

const RUN_FILE = "run.json";
const SLUG_LENGTH = 40;
const HASH_LENGTH = 16;

/** A checkpoint exists exactly when its record does: the weights are written before it and removed after it. */
export class CheckpointFiles {
  readonly #root: string;
  readonly #files: FolderFiles;
  readonly #uuid: () => string;

  constructor({ root, files, uuid }: CheckpointFilesOptions) {
    this.#root = root;
    this.#files = files.within(root);
    this.#uuid = uuid;
  }

  async runs(): Promise<readonly TrainingRunRecord[]> {
    const folders = await this.#files.list(this.#root);
    const records = await Promise.all(
      folders.map(async (folder) => {
        const record = await this.#readable(join(this.#root, folder, RUN_FILE), runRecordSchema);
        return record !== null && folderName(record.run_id) === folder ? record : null;
      }),
    );
    return records.filter((record) => record !== null);
  }

  async run(runId: string): Promise<TrainingRunRecord | null> {
    const record = await this.#read(join(this.#runFolder(runId), RUN_FILE), runRecordSchema);
    return record?.run_id === runId ? record : null;
  }

  async writeRun(record: TrainingRunRecord): Promise<void> {
    const folder = this.#runFolder(record.run_id);
    await this.#files.makeDirectory(folder);
    await this.#files.writeAtomic(join(folder, RUN_FILE), JSON.stringify(record));
  }

  removeRun(runId: string): Promise<void> {
    return this.#files.remove(this.#runFolder(runId));
  }

  async checkpoints(runId: string): Promise<RunRecords> {
    const perKind = await Promise.all(CHECKPOINT_KINDS.map((kind) => this.#recordsOf(runId, kind)));
    const records = perKind.flat().filter((record) => record !== null);
    return { records, isComplete: !perKind.flat().includes(null) };
  }

  async checkpoint(key: CheckpointKey): Promise<CheckpointRecord | null> {
    const record = await this.#read(this.#recordPath(key), checkpointRecordSchema);
    return record !== null && isOf(record, key) && record.name === key.name ? record : null;
  }

  /** Writes the weights and then the record that makes them count; the weights of an older record go last. */
  async write(
    key: CheckpointKey,
    bytes: Uint8Array,
    describe: (file: string) => CheckpointRecord,
  ): Promise<CheckpointRecord> {
    const older = await this.checkpoint(key);
    const record = describe(`${fileStem(key.name)}.${this.#uuid()}.safetensors`);
    const folder = this.#kindFolder(key.runId, key.kind);
    await this.#files.makeDirectory(folder);
    await this.#files.writeAtomic(join(folder, record.file), bytes);
    await this.rewriteRecord(key, record);
    if (older !== null) await this.#files.remove(join(folder, older.file));
    return record;
  }

  rewriteRecord(key: CheckpointKey, record: CheckpointRecord): Promise<void> {
    return this.#files.writeAtomic(this.#recordPath(key), JSON.stringify(record));
  }

  readWeights(key: CheckpointKey, record: CheckpointRecord): Promise<Uint8Array> {
    return this.#files.readBytes(join(this.#kindFolder(key.runId, key.kind), record.file));
  }

  async remove(key: CheckpointKey, record: CheckpointRecord): Promise<void> {
    await this.#files.remove(this.#recordPath(key));
    await this.#files.remove(join(this.#kindFolder(key.runId, key.kind), record.file));
  }

  /** Removes files that none of `records`, all of the run, name: what a process left that died while it wrote. */
  async removeOrphans(runId: string, records: readonly CheckpointRecord[]): Promise<void> {
    for (const kind of CHECKPOINT_KINDS) {
      const named = new Set(
        records
          .filter((record) => record.kind === kind)
          .flatMap((record) => [record.file, `${fileStem(record.name)}.json`]),
      );
      const folder = this.#kindFolder(runId, kind);
      for (const name of await this.#files.list(folder)) {
        if (!named.has(name)) await this.#files.remove(join(folder, name));
      }
    }
  }

  /** Null stands for a record that cannot be read. */
  async #recordsOf(
    runId: string,
    kind: CheckpointKind,
  ): Promise<readonly (CheckpointRecord | null)[]> {
    const folder = this.#kindFolder(runId, kind);
    const names = (await this.#files.list(folder)).filter((name) => name.endsWith(".json"));
    const records = await Promise.all(
      names.map((name) => this.#readable(join(folder, name), checkpointRecordSchema)),
    );
    return records.filter((record) => record === null || isOf(record, { runId, kind }));
  }

  /** As {@link #read}; null also for a file that cannot be read, so that one of many does not hide the others. */
  async #readable<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
  ): Promise<z.infer<Schema> | null> {
    try {
      return await this.#read(path, schema);
    } catch (error) {
      if (isAppError(error, "file-unreadable")) return null;
      throw error;
    }
  }

  /** Null for a file that is absent or does not hold what it should: such a checkpoint does not exist. */
  async #read<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
  ): Promise<z.infer<Schema> | null> {
    try {
      const parsed = schema.safeParse(parseJson(await this.#files.readText(path))?.value);
      return parsed.success ? parsed.data : null;
    } catch (error) {
      if (isAppError(error, "file-not-found")) return null;
      throw error;
    }
  }

  #runFolder(runId: string): string {
    return join(this.#root, folderName(runId));
  }

  #kindFolder(runId: string, kind: CheckpointKind): string {
    return join(this.#runFolder(runId), kind);
  }

  #recordPath(key: CheckpointKey): string {
    return join(this.#kindFolder(key.runId, key.kind), `${fileStem(key.name)}.json`);
  }
}

/** True when a record names the folder that it lies in. Another record could have files of other folders removed. */
function isOf(record: CheckpointRecord, { runId, kind }: Omit<CheckpointKey, "name">): boolean {
  return record.run_id === runId && record.kind === kind;
}

function folderName(runId: string): string {
  return runId.replaceAll(":", ".");
}

/** Readable, and distinct for names that differ in case only or are too long or reserved as file names. */
function fileStem(name: string): string {
  const hash = sha256(name).slice(0, HASH_LENGTH);
  return `${name.slice(0, SLUG_LENGTH).toLowerCase()}-${hash}`;
}
