/** Caches compiled models: an 11 MB tokenizer is parsed once, and loads in milliseconds afterward. */

import { readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { deserialize, serialize } from "node:v8";
import * as z from "zod";
import { createFileSystem } from "../fileSystem.ts";
import { sha256 } from "../hash.ts";
import type { CompiledModel } from "./compiledModel.ts";
import { MODEL_FILES } from "./hubCache.ts";
import { namesIn } from "./modelFiles.ts";
import { vocabularyFileOf } from "./vocabularyFile.ts";

/** Cache location of a compiled model folder. Transferable between threads. */
export interface CacheEntry {
  readonly path: string;
  /** Sizes and times of the source files and of the compiling program. */
  readonly madeFrom: string;
}

/** Entries are 6 to 20 MB each. Entries of deleted folders age out as the oldest. */
const MOST_KEPT = 8;

const bytes = z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array);
const unsigned = z.custom<Uint32Array<ArrayBuffer>>((value) => value instanceof Uint32Array);
const integers = z.custom<Int32Array<ArrayBuffer>>((value) => value instanceof Int32Array);
const keptSchema = z.object({
  madeFrom: z.string(),
  model: z.object({
    tokenizer: z.object({
      table: z.object({ bytes, starts: unsigned }),
      byteIds: integers,
      merges: integers,
      wholeTokens: integers.nullable(),
      addedTokens: z.array(z.object({ id: z.int(), text: z.string() })),
      splitting: z.object({ normalizer: z.unknown(), pre_tokenizer: z.unknown() }),
    }),
    template: z
      .object({ source: z.string(), bosToken: z.string(), eosToken: z.string() })
      .nullable(),
    digests: z.object({ tokenizer: z.string(), template: z.string().nullable() }),
  }),
});

/** The cache path for the model in `folder`; a changed program file, such as a new version, invalidates it. */
export async function cacheEntry(
  cacheFolder: string,
  folder: string,
  programPath: string,
): Promise<CacheEntry> {
  const names = [vocabularyFileOf(await namesIn(folder)), ...MODEL_FILES.map(({ name }) => name)];
  const paths = [
    ...names.flatMap((name) => (name === null ? [] : [join(folder, name)])),
    programPath,
  ];
  const madeFrom = JSON.stringify(await Promise.all(paths.map(describeFile)));
  const name = sha256(folder).slice(0, 32);
  return { path: join(cacheFolder, "compiled", `${name}.bin`), madeFrom };
}

/** Null if nothing is cached for the current state of the files. */
export async function readCompiled({ path, madeFrom }: CacheEntry): Promise<CompiledModel | null> {
  try {
    const kept = keptSchema.parse(deserialize(await readFile(path)));
    return kept.madeFrom === madeFrom ? kept.model : null;
  } catch {
    // A damaged entry counts as missing: the model is compiled again.
    return null;
  }
}

export async function keepCompiled(
  { path, madeFrom }: CacheEntry,
  model: CompiledModel,
): Promise<void> {
  const files = createFileSystem();
  try {
    await files.makeDirectory(dirname(path));
    await files.writeAtomic(path, serialize({ madeFrom, model }));
    await dropOldest(dirname(path));
  } catch {
    // An unwritable cache only makes the next start slower.
  } finally {
    await files.close();
  }
}

async function dropOldest(folder: string): Promise<void> {
  const paths = (await readdir(folder)).map((name) => join(folder, name));
  const times = await Promise.all(
    paths.map(async (path) => ({ path, timeMs: (await stat(path)).mtimeMs })),
  );
  const oldest = times.toSorted((a, b) => b.timeMs - a.timeMs).slice(MOST_KEPT);
  await Promise.all(oldest.map(({ path }) => rm(path, { force: true })));
}

async function describeFile(path: string): Promise<readonly [string, number, number] | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return [path, size, mtimeMs];
  } catch {
    // A missing file counts as a state, too: if it appears later, the model is compiled again.
    return null;
  }
}
