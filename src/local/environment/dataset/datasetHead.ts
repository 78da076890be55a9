/** Reads the beginning of a data file to see what it contains. */

import { basename, extname } from "node:path";
import type { FileSystem } from "../../../core/ports.ts";
import { csvTable } from "./csvTable.ts";
import { jsonLinesTable } from "./jsonLinesTable.ts";
import { parquetHead } from "./parquetTable.ts";
import { suggestConfig } from "./suggestConfig.ts";
import type { DataTable } from "./table.ts";

const HEAD_BYTES = 512 * 1024;
const HEAD_ROWS = 50;
const LINE_FEED = 0x0a;

type Files = Pick<FileSystem, "size" | "readRange">;

/** A configuration for training on the file, to be placed next to it. @throws AppError `file-not-found`, `file-unreadable` */
export async function configForDataset(fileSystem: Files, path: string): Promise<string> {
  return suggestConfig(basename(path), await readHead(fileSystem, path));
}

async function readHead(fileSystem: Files, path: string): Promise<DataTable> {
  const size = (await fileSystem.size(path)) ?? 0;
  if (extname(path).toLowerCase() === ".parquet") {
    const slice = async (start: number, end = size): Promise<ArrayBuffer> =>
      new Uint8Array(await fileSystem.readRange(path, start, end - start)).buffer;
    return await parquetHead({ byteLength: size, slice }, HEAD_ROWS);
  }
  const bytes = await fileSystem.readRange(path, 0, HEAD_BYTES);
  // Drops a truncated last line.
  const isCut = bytes.length < size;
  const lines = bytes.subarray(0, isCut ? bytes.lastIndexOf(LINE_FEED) + 1 : bytes.length);
  return extname(path).toLowerCase() === ".csv" ? csvTable(lines, isCut) : jsonLinesTable(lines);
}
