export interface ZipEntry {
  readonly name: string;
  readonly packedBytes: number;
  /** Offset of its local header in the archive. */
  readonly at: number;
}

/** The files in an archive, from its central directory. */
export function zipEntries(archive: Buffer): readonly ZipEntry[] {
  const end = archive.lastIndexOf("PK\x05\x06", undefined, "latin1");
  const entries: ZipEntry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameBytes = archive.readUInt16LE(at + 28);
    entries.push({
      name: archive.toString("utf8", at + 46, at + 46 + nameBytes),
      packedBytes: archive.readUInt32LE(at + 20),
      at: archive.readUInt32LE(at + 42),
    });
    at += 46 + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}
