/** Folders in which trainers started by this editor report their state; they outlive the window. */

import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { FolderFiles } from "../../core/ports.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import type { LaunchFile, RequestedTraining } from "../../shared/control.ts";
import { launchFileSchema, requestedTraining } from "../control/messages.ts";
import { createFileSystem } from "../fileSystem.ts";
import { isProcessAlive } from "../processes.ts";
import { readPlainText } from "../readPlainText.ts";

/** What the editor recorded before the trainer started. */
export interface LaunchRecord {
  /** Task title. */
  readonly title: string;
  readonly training: RequestedTraining;
  /** Folder of the copied program. */
  readonly program: string;
  /** Null until the process is started. */
  readonly pid: number | null;
}

export interface KnownLaunch {
  readonly folder: string;
  readonly request: LaunchRecord;
  /** Null until the trainer has written it. */
  readonly file: LaunchFile | null;
  readonly isAlive: boolean;
}

const requestSchema: z.ZodType<LaunchRecord> = z
  .object({
    title: z.string(),
    training: requestedTraining,
    program: z.string(),
    pid: z.number().int().nullable(),
  })
  .readonly();

/** The largest content of a launch file is an error message. */
const MAX_RECORD_BYTES = 1024 * 1024;
/** How long to keep the output of an ended trainer. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

/** Launch names, as stored in tasks. */
export const launchName = z
  .string()
  .regex(/^\d{1,16}-[0-9a-f]{8}$/, "it is not a run that this editor started");

const disk = createFileSystem();

/** A launch's files, confined to its folder. */
export function launchFiles(folder: string): FolderFiles {
  return disk.within(folder);
}

export function outputPath(launchFolder: string): string {
  return join(launchFolder, "output.log");
}

export class LaunchStore {
  readonly #root: string;

  /** `root` does not need to exist. */
  constructor(root: string) {
    this.#root = root;
  }

  /** The folder for a launch name, which must match {@link launchName}. */
  folder(name: string): string {
    return join(this.#root, name);
  }

  /** Creates a folder that only the user can read. */
  async create(request: LaunchRecord): Promise<string> {
    const folder = this.folder(`${Date.now()}-${randomUUID().slice(0, 8)}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.note(folder, request);
    return folder;
  }

  async note(folder: string, request: LaunchRecord): Promise<void> {
    await writeFile(join(folder, "request.json"), JSON.stringify(request), { mode: 0o600 });
  }

  /** All readable launches, oldest first; deletes old ended ones. */
  async list(): Promise<readonly KnownLaunch[]> {
    const names = (await readdir(this.#root).catch(() => [])).sort();
    const found: KnownLaunch[] = [];
    for (const name of names) {
      const folder = join(this.#root, name);
      const launch = await readLaunch(folder);
      if (launch?.isAlive !== true && (await isOld(folder))) {
        // Files in use on Windows are left for next time; they must not make a start or attach fail.
        await rm(folder, { recursive: true, force: true }).catch(() => undefined);
      } else if (launch !== null) found.push(launch);
    }
    return found;
  }
}

/** Null if the folder is not a launch. */
export async function readLaunch(folder: string): Promise<KnownLaunch | null> {
  const request = requestSchema.safeParse(await readJson(folder, "request.json")).data;
  if (request === undefined) return null;
  const file = launchFileSchema.safeParse(await readJson(folder, "launch.json")).data ?? null;
  const pid = file?.pid ?? request.pid;
  const isAlive = pid !== null && (file?.exitCode ?? null) === null && isProcessAlive(pid);
  return { folder, request, file, isAlive };
}

async function readJson(folder: string, name: string): Promise<unknown> {
  const text = await readPlainText(join(folder, name), MAX_RECORD_BYTES, folder);
  return parseJson(text ?? "")?.value;
}

async function isOld(folder: string): Promise<boolean> {
  const info = await lstat(folder).catch(() => null);
  return info === null || Date.now() - info.mtimeMs > KEPT_MS;
}
