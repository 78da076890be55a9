/** Reads Parquet. */

import * as zlib from "node:zlib";
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadata,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from "hyparquet";
import { errorMessage } from "../../../core/errors.ts";
import { type DataTable, faultyTable } from "./table.ts";

/** A small compressed file may contain any number of rows. */
const MAX_ROWS = 2_000_000;

type Decompress = (input: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;
// Missing in Node 20.
const { zstdDecompressSync } = zlib as { readonly zstdDecompressSync?: Decompress };

/** The columns of the file and its first `count` rows; reads only those parts. Never rejects. */
export async function parquetHead(file: AsyncBuffer, count: number): Promise<DataTable> {
  try {
    const metadata = await parquetMetadataAsync(file);
    return await readTable(file, metadata, { rowEnd: Math.min(count, Number(metadata.num_rows)) });
  } catch (error) {
    return unreadable(error);
  }
}

/** Integers beyond 2^53 become strings. Reads only the columns in `names`. Never rejects. */
export async function parquetTable(
  bytes: Uint8Array,
  names: readonly string[],
): Promise<DataTable> {
  try {
    // The reader needs a buffer that starts with the file; `slice` of a Node Buffer does not create one.
    const file = new Uint8Array(bytes).buffer;
    const metadata = parquetMetadata(file);
    if (metadata.num_rows > MAX_ROWS) {
      return faultyTable(`has ${metadata.num_rows} rows; at most ${MAX_ROWS} are read`);
    }
    return await readTable(file, metadata, { names });
  } catch (error) {
    return unreadable(error);
  }
}

/** hyparquet's error message. */
const UNSUPPORTED = "unsupported compression codec";

function unreadable(error: unknown): DataTable {
  const why = errorMessage(error);
  const step = why.includes(UNSUPPORTED) ? "; write it with the compression snappy" : "";
  return faultyTable(`cannot be read as Parquet: ${why}${step}`);
}

async function readTable(
  file: AsyncBuffer,
  metadata: FileMetaData,
  {
    names,
    rowEnd = Number(metadata.num_rows),
  }: { readonly names?: readonly string[]; readonly rowEnd?: number },
): Promise<DataTable> {
  const columns = new Set(parquetSchema(metadata).children.map(({ element }) => element.name));
  const read = [...columns].filter((name) => names === undefined || names.includes(name));
  const objects =
    read.length === 0
      ? []
      : await parquetReadObjects({ file, metadata, columns: read, compressors, rowEnd });
  const rows = objects.map((values, index) => ({
    line: index + 1,
    values: plainFields(values),
  }));
  return { columns, rows, faults: [] };
}

const compressors: Compressors = {
  GZIP: (input, length) => zlib.gunzipSync(input, { maxOutputLength: length }),
  BROTLI: (input, length) => zlib.brotliDecompressSync(input, { maxOutputLength: length }),
  ZSTD(input, length) {
    if (zstdDecompressSync === undefined) {
      throw new Error(`${UNSUPPORTED}: ZSTD, which needs Node 22.15 or newer`);
    }
    return zstdDecompressSync(input, { maxOutputLength: length });
  },
};

function plainFields(fields: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, it]) => [name, plain(it)]));
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (Array.isArray(value)) return value.map(plain);
  return isStruct(value) ? plainFields(value) : value;
}

/** False for dates and bytes. */
function isStruct(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
