/**
 * What this user's trainers recorded about a run outside its folder: where its configuration may send keys, and which models it trained. A
 * run folder may be a copy or come from a stranger, who cannot write here.
 */

import { join } from "node:path";
import * as z from "zod";
import { errorMessage, isAppError } from "../core/errors.ts";
import type { Log } from "../core/ports.ts";
import { readRunFile } from "../core/runFolder/runFile.ts";
import type { Destinations } from "../core/secrets/destinations.ts";
import { parseJson } from "../core/util/jsonl.ts";
import { checkpointStore } from "./checkpointStore.ts";
import { createFileSystem } from "./fileSystem.ts";
import { sha256 } from "./hash.ts";
import { realFolder } from "./realFolder.ts";

const MAX_BYTES = 1024 * 1024;
const address = z.string().nullable().exactOptional();

const recordSchema = z
  .object({
    /** The id in `run.json`: a different run in the same folder has a different record. */
    runId: z.string().nullable(),
    /** The folder's real path: a copy elsewhere is not a run that this user started. */
    folder: z.string(),
    /** Ids of the trained models, which are the first part of their checkpoints' paths. */
    models: z.array(z.string()).readonly(),
    destinations: z
      .array(
        z
          .object({
            addresses: z
              .object({ tinker_base_url: address, openreward_base_url: address })
              .readonly(),
            environments: z.record(z.string(), z.array(z.string()).readonly()).readonly(),
            servers: z.record(z.string(), z.string()).readonly().optional(),
            notify: z.array(z.string()).readonly().optional(),
          })
          .readonly(),
      )
      .readonly(),
  })
  .readonly();

type RecordFile = z.infer<typeof recordSchema>;

const fileSystem = createFileSystem();

export class RunRecord {
  readonly #path: string;
  #file: RecordFile;

  private constructor(path: string, file: RecordFile) {
    this.#path = path;
    this.#file = file;
  }

  /** Empty for a run without a record. */
  static async open(folder: string): Promise<RunRecord> {
    const real = await realFolder(folder);
    const path = join(startedFolder(), `${sha256(real)}.json`);
    const runFile = await readRunFile(fileSystem.within(folder), folder).catch(() => null);
    const runId = runFile?.runId ?? null;
    const found = await readRecord(path);
    const isSame = found !== undefined && found.runId === runId && found.folder === real;
    const none = { runId, folder: real, models: [], destinations: [] };
    return new RunRecord(path, isSame && runId !== null ? found : none);
  }

  /** The run folder for a checkpoint path, if the run was trained here and still exists; otherwise null. */
  static async folderOf(path: string): Promise<string | null> {
    const names = await fileSystem.list(startedFolder()).catch(() => []);
    for (const name of names) {
      const noted = await readRecord(join(startedFolder(), name));
      if (noted === undefined || !isOfModels(path, noted.models)) continue;
      const record = await RunRecord.open(noted.folder);
      if (record.isOwn(path)) return noted.folder;
    }
    return null;
  }

  /** The destinations the user has specified for the run so far. */
  get destinations(): readonly Destinations[] {
    return this.#file.destinations;
  }

  /** True for the path of a checkpoint saved by one of the recorded models. */
  isOwn(path: string): boolean {
    return isOfModels(path, this.#file.models);
  }

  /**
   * Records a model (null if the run trains none) and where the run sends keys. If writing fails, the record applies to this process only.
   */
  async add(model: string | null, destinations: Destinations, log: Log): Promise<void> {
    const text = JSON.stringify(destinations);
    const others = this.#file.destinations.filter((each) => JSON.stringify(each) !== text);
    this.#file = {
      ...this.#file,
      models: [...new Set([...this.#file.models, ...(model === null ? [] : [model])])],
      destinations: [...others, destinations],
    };
    try {
      await fileSystem.makeDirectory(startedFolder());
      await fileSystem.writeAtomic(this.#path, `${JSON.stringify(this.#file)}\n`);
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.warn("The run of this trainer could not be recorded.", { reason: errorMessage(error) });
    }
  }
}

function startedFolder(): string {
  return join(checkpointStore(), "started");
}

async function readRecord(path: string): Promise<RecordFile | undefined> {
  const text = await fileSystem.readText(path, MAX_BYTES).catch(() => "");
  return recordSchema.safeParse(parseJson(text)?.value).data;
}

function isOfModels(path: string, models: RecordFile["models"]): boolean {
  return models.some((model) => path.startsWith(`tinker://${model}/`));
}
