/** `download.json`, in the folder of a download in progress: what is needed to resume it. */

import * as z from "zod";
import { AppError } from "../errors.ts";
import type { FolderFiles } from "../ports.ts";
import { parseJson } from "../util/jsonl.ts";

/** Exists only while the folder is incomplete. */
export const DOWNLOAD_RECORD = "download.json";
/** Subfolder for the adapter while it is converted to another form. */
export const EXPORTED = "adapter";

const recordSchema = z.object({
  format: z.literal(1),
  /** The checkpoint being downloaded. */
  source: z.string(),
  /** Its other form, in words; empty = as exported. */
  form: z.string().default(""),
  /** By file name, the version of its part, as in the server's `ETag`. */
  etags: z.record(z.string(), z.string()),
  /** True once all files are downloaded and are being converted to another form. */
  fetched: z.boolean().default(false),
});

type Stored = z.infer<typeof recordSchema>;

export class DownloadRecord {
  readonly #files: FolderFiles;
  readonly #path: string;
  #stored: Stored;

  private constructor(files: FolderFiles, path: string, stored: Stored) {
    this.#files = files;
    this.#path = path;
    this.#stored = stored;
  }

  /**
   * Starts a download, or resumes one of the same checkpoint. Until files of a form are written, another form can use the exported adapter.
   * @throws AppError `folder-not-empty`, `disk`
   */
  static async open(
    files: FolderFiles,
    folder: string,
    { source, form }: Pick<Stored, "source" | "form">,
  ): Promise<DownloadRecord> {
    await files.makeDirectory(folder);
    const path = `${folder}/${DOWNLOAD_RECORD}`;
    const names = await files.list(folder);
    const text = names.includes(DOWNLOAD_RECORD) ? await files.readText(path) : "";
    const stored = recordSchema.safeParse(parseJson(text)?.value).data;
    if (stored?.source === source && stored.form === form) {
      return new DownloadRecord(files, path, stored);
    }
    const fresh: Stored = { format: 1, source, form, etags: {}, fetched: false };
    const isFormOpen =
      stored?.source === source &&
      form !== "" &&
      names.every((name) => name === DOWNLOAD_RECORD || name === EXPORTED);
    if (names.length === 0 || isFormOpen) {
      const record = new DownloadRecord(files, path, { ...fresh, ...stored, form });
      await record.#write();
      return record;
    }
    const what =
      stored === undefined
        ? "contains other files"
        : `contains a part of ${`${stored.source} ${stored.form}`.trimEnd()}`;
    throw new AppError(
      "folder-not-empty",
      `The folder ${folder} ${what}. Choose another folder (in a terminal with --output), or empty it.`,
      { data: { folder } },
    );
  }

  etagOf(name: string): string | null {
    return this.#stored.etags[name] ?? null;
  }

  async setEtag(name: string, etag: string | null): Promise<void> {
    if (etag === this.etagOf(name)) return;
    const { [name]: _, ...others } = this.#stored.etags;
    this.#stored = {
      ...this.#stored,
      etags: etag === null ? others : { ...others, [name]: etag },
    };
    await this.#write();
  }

  get isFetched(): boolean {
    return this.#stored.fetched;
  }

  async setFetched(): Promise<void> {
    this.#stored = { ...this.#stored, fetched: true };
    await this.#write();
  }

  /** Call when the folder is complete. */
  async remove(): Promise<void> {
    await this.#files.remove(this.#path);
  }

  async #write(): Promise<void> {
    await this.#files.writeAtomic(this.#path, JSON.stringify(this.#stored));
  }
}
