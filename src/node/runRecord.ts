/**
 * What trainers of this user have noted about a run outside of its folder: where its configuration may send keys, and which models they
 * trained. A run folder may come from a stranger, or be a copy; whoever writes one cannot write here.
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
    /** The id in `run.json`: another run in the same folder has another record. */
    runId: z.string().nullable(),
    /** The folder's real path: a copy elsewhere is no run that this user began. */
    folder: z.string(),
    /** Ids of the models that were trained, the first part of their checkpoints' addresses. */
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

  /** Empty for a run of which nothing is noted. */
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

  /** The run folder of the address of a checkpoint, if its run was trained here and is still there; else null. */
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

  /** What the user has named for the run so far. */
  get destinations(): readonly Destinations[] {
    return this.#file.destinations;
  }

  /** True for the address of a checkpoint that one of the noted models saved. */
  isOwn(path: string): boolean {
    return isOfModels(path, this.#file.models);
  }

  /** Notes a model, null for a run that trains none, and where the run sends keys. What cannot be written holds for this process. */
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
