/** The user's page layout and settings in the browser, stored next to the program's caches. */

import { type Kept, keptSchema } from "../../api/pages.ts";
import type { FileSystem } from "../../core/ports.ts";
import { readIfReadable } from "../../core/runFolder/files/wholeFiles.ts";
import { parseJson } from "../../core/util/jsonl.ts";

const MAX_BYTES = 1024 * 1024;

export class PageSettingsFile {
  readonly #fileSystem: FileSystem;
  readonly #folder: string;
  #kept: Kept;
  #writing: Promise<void> = Promise.resolve();

  private constructor(fileSystem: FileSystem, folder: string, kept: Kept) {
    this.#fileSystem = fileSystem;
    this.#folder = folder;
    this.#kept = kept;
  }

  /** Starts empty if `folder` contains nothing readable. */
  static async read(fileSystem: FileSystem, folder: string): Promise<PageSettingsFile> {
    const text = await readIfReadable(fileSystem, pathIn(folder), MAX_BYTES).catch(() => null);
    return new PageSettingsFile(
      fileSystem,
      folder,
      keptSchema.parse(parseJson(text ?? "")?.value ?? {}),
    );
  }

  get current(): Kept {
    return this.#kept;
  }

  /** Resolves once it is on disk. @throws AppError `disk` */
  keep(change: Partial<Kept>): Promise<void> {
    this.#kept = { ...this.#kept, ...change };
    // Writes are serialized; the last one contains everything.
    this.#writing = this.#writing
      .catch(() => undefined)
      .then(async () => {
        await this.#fileSystem.makeDirectory(this.#folder);
        await this.#fileSystem.writeAtomic(pathIn(this.#folder), JSON.stringify(this.#kept));
      });
    return this.#writing;
  }
}

function pathIn(folder: string): string {
  return `${folder}/pages.json`;
}
