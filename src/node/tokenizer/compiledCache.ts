/** Keeps compiled models on this computer: a tokenizer of 11 MB is read from its files once, and in milliseconds from then on. */

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

/** Where the compiled form of a model folder is kept. Passes between threads. */
export interface CacheEntry {
  readonly path: string;
  /** Sizes and times of the files that it is made from, and of the program that makes it. */
  readonly madeFrom: string;
}

/** Each entry has 6 to 20 MB. Entries of deleted folders are removed as the oldest. */
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

/** The path in `cacheFolder` for the model in `folder`; another program file, such as one of another version, makes it again. */
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

/** Null when nothing is kept that was made from the files as they are now. */
export async function readCompiled({ path, madeFrom }: CacheEntry): Promise<CompiledModel | null> {
  try {
    const kept = keptSchema.parse(deserialize(await readFile(path)));
    return kept.madeFrom === madeFrom ? kept.model : null;
  } catch {
    // A damaged entry counts as none: the model is compiled again.
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
    // A cache that cannot be written costs time at the next start, and nothing else.
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
    // A missing file is a state, too: when it appears, the model is compiled again.
    return null;
  }
}
