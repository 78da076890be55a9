/** The trainer runs from a copy of the program, named by a content hash, because a run outlives updates and removal of the extension. */

import { createHash, randomUUID } from "node:crypto";
import { cp, mkdir, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { whileHeld } from "../whileHeld.ts";

const HASH_LENGTH = 16;
/** Longer than any start takes; a run is known only after its copy is made. */
const IN_USE_MS = 3600 * 1000;

/** Copies the folder `program` into `store` unless that copy exists, and resolves with the copy's folder. */
export async function copiedProgram(program: string, store: string): Promise<string> {
  const target = join(store, await contentHash(program));
  if (await isThere(target)) return target;
  await mkdir(store, { recursive: true });
  const temporary = join(store, `.${randomUUID()}`);
  await cp(program, temporary, { recursive: true, filter: (source) => !source.endsWith(".map") });
  try {
    // Another window may be faster.
    await whileHeld(async () => {
      if (!(await isThere(target))) await rename(temporary, target);
    });
  } catch (error) {
    if (!(await isThere(target))) throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return target;
}

/** Deletes all copies except those in `kept` and those of starts in progress. Files in use on Windows are left for next time. */
export async function removeOldCopies(store: string, kept: ReadonlySet<string>): Promise<void> {
  const names = await readdir(store).catch(() => []);
  const unused = names.map((name) => join(store, name)).filter((folder) => !kept.has(folder));
  await Promise.allSettled(
    unused.map(async (folder) => {
      const { mtimeMs } = await stat(folder);
      if (Date.now() - mtimeMs > IN_USE_MS) await rm(folder, { recursive: true, force: true });
    }),
  );
}

async function contentHash(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const names = (await readdir(folder, { recursive: true })).sort();
  for (const name of names) {
    if (name.endsWith(".map") || !(await stat(join(folder, name))).isFile()) continue;
    hash.update(`${name}\0`).update(await readFile(join(folder, name)));
  }
  return hash.digest("hex").slice(0, HASH_LENGTH);
}

/** Also marks the copy as recently used. */
async function isThere(copy: string): Promise<boolean> {
  const now = new Date();
  return utimes(copy, now, now).then(
    () => true,
    () => false,
  );
}
