/** Lists everything in a folder or in the extension's package, file by file. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { inflateRawSync } from "node:zlib";
import { zipEntries } from "../../scripts/zipEntries.ts";

/** Name and content of every file below a folder; the name is searched as well. */
export function* treeContents(folder: string): Generator<readonly [string, Buffer]> {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.path, entry.name);
    const name = relative(folder, path);
    yield [name, Buffer.from(name)];
    if (entry.isFile()) yield [name, readFileSync(path)];
  }
}

/** The files in an archive, unpacked. */
export function* archiveContents(archive: Buffer): Generator<readonly [string, Buffer]> {
  for (const { name, packedBytes, at } of zipEntries(archive)) {
    const start = at + 30 + archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28);
    const packed = archive.subarray(start, start + packedBytes);
    const isPacked = archive.readUInt16LE(at + 8) !== 0;
    yield [name, isPacked ? inflateRawSync(packed) : packed];
  }
}

/** The contents of the newest package. */
export function packageEntries(): Iterable<readonly [string, Buffer]> {
  const name = readdirSync("dist").find((file) => file.endsWith(".vsix"));
  if (name === undefined) throw new Error("there is no package in dist: npm run package");
  return archiveContents(readFileSync(join("dist", name)));
}
