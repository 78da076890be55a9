/** Finds the folder with a model's tokenizer and template: a local folder, a cache, or a new download. */

import { createHash } from "node:crypto";
import { isAbsolute, resolve } from "node:path";
import { AppError } from "../../core/errors.ts";
import { knownTokenizer } from "../../core/models/knownTokenizers.ts";
import type { HttpClient } from "../../core/ports.ts";
import {
  type CacheFiles,
  findCommit,
  hasVocabulary,
  keepCommit,
  MODEL_FILES,
  ownCache,
  pythonCache,
} from "./hubCache.ts";
import {
  type DownloadProgress,
  downloadHubFile,
  type HubAccess,
  listHubFiles,
} from "./hubDownload.ts";
import type { HubSettings } from "./hubSettings.ts";
import { VOCABULARY_FILES, VOCABULARY_NAMES, vocabularyFileOf } from "./vocabularyFile.ts";

export interface TokenizerSources {
  readonly hub: HubSettings;
  readonly http: HttpClient;
  readonly files: CacheFiles;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** Called before the first request to the hub; throwing stops the search. */
  readonly onAsk?: () => void;
}

export interface TokenizerRequest {
  /** A folder (relative to `configFolder`), or a model id on the hub. */
  readonly name: string;
  readonly configFolder: string;
}

export interface FoundTokenizer {
  readonly folder: string;
  readonly source: "program" | "folder" | "cache" | "python cache" | "hub";
  /** Null for a local folder or the program's own model; a digest of the files if the hub does not report commits. */
  readonly commit: string | null;
}

const MAIN = "main";
const MODEL_ID = /^\w[\w.-]*(\/\w[\w.-]*)?$/;

/**
 * Search order: a folder of that name, this program's cache, the cache of Python's hub library, the model hub. A download is kept even if
 * the hub later has a newer commit. The revision is the one that Tinker uses, or else `main`, which is also accepted if only `main` is
 * cached.
 * @throws AppError `tokenizer-not-found`, `tokenizer-offline`, `tokenizer-gated`, `tokenizer-download`, `disk`
 */
export async function resolveTokenizer(
  sources: TokenizerSources,
  { name, configFolder }: TokenizerRequest,
): Promise<FoundTokenizer> {
  const { files, hub } = sources;
  const folder = resolve(configFolder, name);
  if (await hasVocabulary(files, folder)) {
    return { folder, source: "folder", commit: null };
  }
  if (isAbsolute(name) || !MODEL_ID.test(name)) throw noFolder(name, folder);
  const revision = knownTokenizer(name).revision ?? MAIN;
  const own = ownCache(hub.cacheFolder, name);
  const python = pythonCache(hub.pythonCacheFolder, name);
  for (const wanted of new Set([revision, MAIN])) {
    const kept = await findCommit(files, own, wanted);
    if (kept !== null) return { ...kept, source: "cache" };
    const shared = await findCommit(files, python, wanted);
    if (shared !== null) return { ...shared, source: "python cache" };
  }
  if (hub.isOffline) throw offline(name, [folder, own.commits, python.commits]);

  const { http, signal, onProgress, onAsk } = sources;
  onAsk?.();
  const access: HubAccess = {
    http,
    endpoint: hub.endpoint,
    token: hub.token,
    signal,
    onProgress,
  };
  const fresh = await download(access, name, revision);
  const { commit } = fresh;
  return { folder: await keepCommit(files, own, revision, fresh), source: "hub", commit };
}

/** All files of one commit: the first answer names the commit, and the remaining requests use it. */
async function download(access: HubAccess, id: string, revision: string) {
  const contents = new Map<string, Uint8Array>();
  let commit: string | null = null;
  const take = async (file: string): Promise<boolean> => {
    const found = await downloadHubFile(access, { id, revision: commit ?? revision, file });
    if (found === null) return false;
    commit ??= found.commit;
    contents.set(file, found.bytes);
    return true;
  };
  for (const { name, isRequired } of MODEL_FILES) {
    if (!(await take(name)) && isRequired) throw notOnHub(access.endpoint, id, name);
  }
  for (const name of VOCABULARY_FILES) {
    if (await take(name)) return { commit: commit ?? digest(contents), contents };
  }
  const named = vocabularyFileOf(await listHubFiles(access, { id, revision: commit ?? revision }));
  if (named !== null && (await take(named)))
    return { commit: commit ?? digest(contents), contents };
  throw notOnHub(access.endpoint, id, VOCABULARY_NAMES);
}

function digest(contents: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash("sha256");
  for (const bytes of contents.values()) hash.update(bytes);
  return hash.digest("hex");
}

function noFolder(name: string, folder: string): AppError {
  return notFound(
    `${name} is neither a folder with ${VOCABULARY_NAMES} (looked in ${folder}) nor a model id like Qwen/Qwen3-8B. Set \`tokenizer_name\` to one of the two.`,
    { name, folder },
  );
}

function notOnHub(endpoint: string, id: string, file: string): AppError {
  return notFound(
    `The Hugging Face Hub (${endpoint}) has no ${file} of ${id}. Set \`tokenizer_name\` to a model with a byte-level BPE tokenizer, or to a folder; a relative path is resolved from the configuration.`,
    { id, file },
  );
}

function notFound(message: string, data: Readonly<Record<string, unknown>>): AppError {
  return new AppError("tokenizer-not-found", message, { configPath: "tokenizer_name", data });
}

function offline(name: string, folders: readonly string[]): AppError {
  return new AppError(
    "tokenizer-offline",
    `The tokenizer of ${name} is not on this computer, and the offline switch (HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE) forbids downloading it. Searched: ${folders.join(", ")}. Unset the switch once, or set \`tokenizer_name\` to a folder.`,
    { configPath: "tokenizer_name", data: { name, folders } },
  );
}
