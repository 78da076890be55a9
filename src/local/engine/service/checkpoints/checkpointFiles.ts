/** Files of the checkpoint store: one folder per run, with weights and their records. Contains no policy. */

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
  /** Makes data file names unique across saves under the same name. */
  readonly uuid: () => string;
}

export interface RunRecords {
  readonly records: readonly CheckpointRecord[];
  /** False if a record was unreadable; files not named by `records` may then still be needed. */
  readonly isComplete: boolean;
}

const RUN_FILE = "run.json";
const SLUG_LENGTH = 40;
const HASH_LENGTH = 16;

/** A checkpoint exists if and only if its record does: weights are written before it and removed after it. */
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

  /** Writes the weights, then the record that makes them count, and finally removes an older record's weights. */
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

  /** Removes files not named in `records`, the full list of the run: leftovers of a process that died while writing. */
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

  /** A record is null if it cannot be read. */
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

  /** Like {@link #read}, but null for unreadable files too, so that one bad record does not hide the others. */
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

  /** Null if the file is missing or invalid; such a checkpoint does not exist. */
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

/** True if a record names its own folder. Another record could cause files in other folders to be removed. */
function isOf(record: CheckpointRecord, { runId, kind }: Omit<CheckpointKey, "name">): boolean {
  return record.run_id === runId && record.kind === kind;
}

function folderName(runId: string): string {
  return runId.replaceAll(":", ".");
}

/** Readable and unique, even for names that differ only in case, are too long, or are reserved as file names. */
function fileStem(name: string): string {
  const hash = sha256(name).slice(0, HASH_LENGTH);
  return `${name.slice(0, SLUG_LENGTH).toLowerCase()}-${hash}`;
}
