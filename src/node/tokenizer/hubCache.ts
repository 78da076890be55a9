/** Model files cached on this computer by id and revision, in the layouts of this program and of Python's hub library. */

import { join } from "node:path";
import { absent } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import { vocabularyFileOf } from "./vocabularyFile.ts";

export type CacheFiles = Pick<
  FileSystem,
  "list" | "makeDirectory" | "readText" | "size" | "writeAtomic"
>;

/** One model in a cache: `refs/<revision>` contains a commit hash, and the commit's folder contains the files. */
interface CachedModel {
  readonly refs: string;
  readonly commits: string;
}

const CONFIG = "tokenizer_config.json";

/** The files of a model folder besides the vocabulary. */
export const MODEL_FILES: readonly { readonly name: string; readonly isRequired: boolean }[] = [
  { name: CONFIG, isRequired: true },
  { name: "chat_template.jinja", isRequired: false },
];

export function ownCache(cacheFolder: string, id: string): CachedModel {
  const folder = join(cacheFolder, id.replaceAll("/", "--"));
  return { refs: join(folder, "refs"), commits: folder };
}

export function pythonCache(cacheFolder: string, id: string): CachedModel {
  const folder = join(cacheFolder, `models--${id.replaceAll("/", "--")}`);
  return { refs: join(folder, "refs"), commits: join(folder, "snapshots") };
}

/** Folder and commit of a revision (a branch, tag or commit); null if the cache does not have all its files. */
export async function findCommit(
  files: CacheFiles,
  { refs, commits }: CachedModel,
  revision: string,
): Promise<{ readonly folder: string; readonly commit: string } | null> {
  const commit =
    (await files.readText(join(refs, revision)).catch(absent(null)))?.trim() ?? revision;
  if (!isCommit(commit)) return null;
  const folder = join(commits, commit);
  const isWhole = (await hasFile(files, folder, CONFIG)) && (await hasVocabulary(files, folder));
  return isWhole ? { folder, commit } : null;
}

/** Whether a folder contains a vocabulary in a supported format. */
export async function hasVocabulary(files: CacheFiles, folder: string): Promise<boolean> {
  const name = vocabularyFileOf(await files.list(folder));
  return name !== null && hasFile(files, folder, name);
}

/** False for dangling links, which a cache may contain. */
async function hasFile(files: CacheFiles, folder: string, name: string): Promise<boolean> {
  return (await files.size(join(folder, name))) !== null;
}

/** Stores a commit's files. Writes the ref last, so that it always refers to a complete commit. @throws AppError `disk` */
export async function keepCommit(
  files: CacheFiles,
  { refs, commits }: CachedModel,
  revision: string,
  {
    commit,
    contents,
  }: { readonly commit: string; readonly contents: ReadonlyMap<string, Uint8Array> },
): Promise<string> {
  const folder = join(commits, commit);
  await files.makeDirectory(folder);
  for (const [name, bytes] of contents) await files.writeAtomic(join(folder, name), bytes);
  await files.makeDirectory(refs);
  await files.writeAtomic(join(refs, revision), commit);
  return folder;
}

export function isCommit(text: string): boolean {
  return /^[0-9a-f]{7,64}$/.test(text);
}
