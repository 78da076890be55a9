/** The checkpoints of all of this user's local runs: names, expiry, and the size limit. */

import type { Clock, Log } from "../../../../core/ports.ts";
import { Limiter } from "../../../../core/util/limiter.ts";
import { withoutUndefined } from "../../../../shared/withoutUndefined.ts";
import { userFault } from "../http/faults.ts";
import { CheckpointFiles, type CheckpointFilesOptions } from "./checkpointFiles.ts";
import {
  type CheckpointRecord,
  isExpired,
  type LoraRecord,
  type TrainingRunRecord,
  type UserMetadata,
} from "./checkpointRecord.ts";
import { checkpointsToRemove, samplerBytes } from "./storeBound.ts";
import { type CheckpointKey, tinkerPath } from "./tinkerPath.ts";

export interface CheckpointStoreOptions extends CheckpointFilesOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** This process, whose runs are in use. */
  readonly pid: number;
  readonly isProcessAlive: (pid: number) => boolean;
  /** Size limit for all sampler checkpoints together. */
  readonly maxBytes?: number | undefined;
}

export interface NewCheckpoint {
  readonly bytes: Uint8Array;
  readonly baseModel: string;
  readonly lora: LoraRecord;
  /** Metadata of the run, stored once per run. */
  readonly runMetadata: UserMetadata;
  readonly userMetadata: UserMetadata;
  /** Seconds until the checkpoint expires; null = never. */
  readonly ttlSeconds: number | null;
  readonly overwrite: boolean;
}

export interface CheckpointUpdate {
  readonly isPublic?: boolean;
  /** Null removes the expiry. */
  readonly ttlSeconds?: number | null;
}

const DEFAULT_MAX_BYTES = 2 * 2 ** 30;

/** Opens the store and removes expired and excess checkpoints and leftovers of dead processes. */
export async function openCheckpointStore(
  options: CheckpointStoreOptions,
): Promise<CheckpointStore> {
  const store = new CheckpointStore(options);
  await store.cleanUp();
  return store;
}

export class CheckpointStore {
  readonly #files: CheckpointFiles;
  readonly #options: CheckpointStoreOptions;
  /** Changes run one at a time, so that each sees current records. */
  readonly #turn = new Limiter(1);
  /** Bytes of all sampler checkpoints known to this process; measured again once they exceed {@link #tidyAboveBytes}. */
  #bytes = 0;
  #tidyAboveBytes = 0;

  constructor(options: CheckpointStoreOptions) {
    this.#options = options;
    this.#files = new CheckpointFiles(options);
  }

  /** @throws AppError `invalid-request` ResourceAlreadyExists unless `overwrite` is set */
  save(key: CheckpointKey, checkpoint: NewCheckpoint): Promise<CheckpointRecord> {
    return this.#turn.run(async () => {
      const older = await this.find(key);
      if (older !== null && !checkpoint.overwrite) {
        throw userFault(
          `ResourceAlreadyExists: ${tinkerPath(key)} already exists. Choose another name, or set overwrite.`,
        );
      }
      await this.#files.writeRun(this.#runRecord(key, checkpoint));
      const record = await this.#files.write(key, checkpoint.bytes, (file) =>
        this.#record(key, checkpoint, file),
      );
      this.#bytes += samplerBytes(record) - (older === null ? 0 : samplerBytes(older));
      if (this.#bytes > this.#tidyAboveBytes) await this.#tidy();
      return record;
    });
  }

  /** The record of a checkpoint, or null if it does not exist or has expired. */
  async find(key: CheckpointKey): Promise<CheckpointRecord | null> {
    const record = await this.#files.checkpoint(key);
    return record === null || isExpired(record, this.#options.clock.now()) ? null : record;
  }

  /** @throws AppError `invalid-request` if the checkpoint does not exist or has expired */
  async read(
    key: CheckpointKey,
  ): Promise<{ readonly record: CheckpointRecord; readonly bytes: Uint8Array }> {
    const record = await this.find(key);
    if (record === null) throw missing(key);
    return { record, bytes: await this.#files.readWeights(key, record) };
  }

  /** @throws AppError `invalid-request` if the checkpoint does not exist or has expired */
  change(key: CheckpointKey, { isPublic, ttlSeconds }: CheckpointUpdate): Promise<void> {
    return this.#turn.run(async () => {
      const record = await this.find(key);
      if (record === null) throw missing(key);
      await this.#files.rewriteRecord(key, {
        ...record,
        ...withoutUndefined({
          public: isPublic,
          expires_at: ttlSeconds === undefined ? undefined : this.#expiry(ttlSeconds),
        }),
      });
    });
  }

  /** Returns false if there was no such checkpoint. */
  delete(key: CheckpointKey): Promise<boolean> {
    return this.#turn.run(async () => {
      const record = await this.#files.checkpoint(key);
      if (record === null) return false;
      await this.#remove(record);
      return true;
    });
  }

  runs(): Promise<readonly TrainingRunRecord[]> {
    return this.#files.runs();
  }

  run(runId: string): Promise<TrainingRunRecord | null> {
    return this.#files.run(runId);
  }

  /** A run's unexpired checkpoints, newest first. */
  async checkpointsOf(runId: string): Promise<readonly CheckpointRecord[]> {
    const { records } = await this.#files.checkpoints(runId);
    return newestFirst(records.filter((record) => !isExpired(record, this.#options.clock.now())));
  }

  async allCheckpoints(): Promise<readonly CheckpointRecord[]> {
    const perRun = await Promise.all(
      (await this.runs()).map((run) => this.checkpointsOf(run.run_id)),
    );
    return newestFirst(perRun.flat());
  }

  cleanUp(): Promise<void> {
    return this.#turn.run(() => this.#tidy());
  }

  async #tidy(): Promise<void> {
    const { clock, log, maxBytes = DEFAULT_MAX_BYTES } = this.#options;
    const runs = await Promise.all(
      (await this.runs()).map(async (run) => ({
        runId: run.run_id,
        isIdle: !this.#isInUse(run),
        ...(await this.#files.checkpoints(run.run_id)),
      })),
    );
    const idle = runs.filter(({ isIdle }) => isIdle);
    const idleIds = new Set(idle.map(({ runId }) => runId));
    const records = runs.flatMap((run) => run.records);
    this.#bytes = records.reduce((sum, record) => sum + samplerBytes(record), 0);
    const doomed = new Set(
      checkpointsToRemove(records, {
        nowMs: clock.now(),
        maxBytes,
        isIdle: (runId) => idleIds.has(runId),
      }),
    );
    for (const record of doomed) await this.#remove(record);
    // Otherwise every save would scan all runs again for checkpoints that cannot be removed now.
    this.#tidyAboveBytes = this.#bytes > maxBytes ? this.#bytes + maxBytes : maxBytes;
    for (const run of idle.filter(({ isComplete }) => isComplete)) {
      const kept = run.records.filter((record) => !doomed.has(record));
      if (kept.length === 0) await this.#files.removeRun(run.runId);
      else await this.#files.removeOrphans(run.runId, kept);
    }
    if (doomed.size > 0) {
      log.info("removed checkpoints", { count: doomed.size, bytes: this.#bytes });
    }
  }

  async #remove(record: CheckpointRecord): Promise<void> {
    await this.#files.remove(
      { runId: record.run_id, kind: record.kind, name: record.name },
      record,
    );
    this.#bytes -= samplerBytes(record);
  }

  #isInUse(run: TrainingRunRecord): boolean {
    return run.pid === this.#options.pid || this.#options.isProcessAlive(run.pid);
  }

  #runRecord(key: CheckpointKey, checkpoint: NewCheckpoint): TrainingRunRecord {
    return {
      format: 1,
      run_id: key.runId,
      base_model: checkpoint.baseModel,
      lora: checkpoint.lora,
      user_metadata: checkpoint.runMetadata,
      pid: this.#options.pid,
      last_request_time: this.#timestamp(this.#options.clock.now()),
    };
  }

  #record(key: CheckpointKey, checkpoint: NewCheckpoint, file: string): CheckpointRecord {
    return {
      format: 1,
      run_id: key.runId,
      kind: key.kind,
      name: key.name,
      file,
      base_model: checkpoint.baseModel,
      lora: checkpoint.lora,
      created_at: this.#timestamp(this.#options.clock.now()),
      expires_at: this.#expiry(checkpoint.ttlSeconds),
      public: false,
      user_metadata: checkpoint.userMetadata,
      size_bytes: checkpoint.bytes.byteLength,
    };
  }

  #expiry(ttlSeconds: number | null): string | null {
    return ttlSeconds === null
      ? null
      : this.#timestamp(this.#options.clock.now() + ttlSeconds * 1000);
  }

  #timestamp(atMs: number): string {
    return new Date(atMs).toISOString();
  }
}

function newestFirst(records: readonly CheckpointRecord[]): readonly CheckpointRecord[] {
  return records.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}

function missing(key: CheckpointKey): Error {
  return userFault(
    `There is no checkpoint ${tinkerPath(key)} in the store of this computer. It may have expired.`,
  );
}
