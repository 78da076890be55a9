/** From a data file to an environment, or to all that is wrong with its rows. */

import { basename, extname } from "node:path";
import { AppError, isAppError } from "../../../core/errors.ts";
import type { FileSystem } from "../../../core/ports.ts";
import { sha256 } from "../../../node/hash.ts";
import type { EnvironmentDefinition } from "../environment.ts";
import { csvTable } from "./csvTable.ts";
import { datasetEnvironment } from "./datasetEnvironment.ts";
import { checkRows } from "./datasetRows.ts";
import type { DatasetSource } from "./datasetSource.ts";
import { createGrader } from "./graders/graders.ts";
import { jsonLinesTable } from "./jsonLinesTable.ts";
import { parquetTable } from "./parquetTable.ts";
import { splitRows } from "./splitRows.ts";
import type { RowFault, Table } from "./table.ts";

const MAX_BYTES = 200 * 1024 * 1024;
/** Faults that an error lists. */
const SHOWN = 10;

export interface LoadedDataset {
  /** As the configuration spells it. */
  readonly environment: string;
  readonly definition: EnvironmentDefinition;
  /** SHA-256 of the file, in hex. */
  readonly digest: string;
}

/** @throws AppError `dataset-invalid`, which names file, row and column, with the key of the configuration */
export async function loadDataset(
  fileSystem: Pick<FileSystem, "readBytes">,
  source: DatasetSource,
): Promise<LoadedDataset> {
  const { environment, path, columns, splitFractions } = source;
  const bytes = await readFile(fileSystem, source);
  const grader = createGrader(source.grader);
  const table = await readTable(bytes, path, Object.values(columns));
  const { rows, faults } = checkRows(table, columns, grader);
  if (faults.length > 0) throw invalid(source, describeFaults(basename(path), faults));
  const definition = datasetEnvironment({
    name: environment.slice("local/".length),
    file: basename(path),
    splits: splitRows(rows, splitFractions),
    grader,
    isRuleInPrompt: source.grader.in_prompt,
  });
  return { environment, definition, digest: sha256(bytes) };
}

async function readFile(
  fileSystem: Pick<FileSystem, "readBytes">,
  source: DatasetSource,
): Promise<Uint8Array> {
  const { path } = source;
  try {
    return await fileSystem.readBytes(path, MAX_BYTES);
  } catch (error) {
    if (isAppError(error, "file-not-found")) throw invalid(source, `${path} does not exist.`);
    if (isAppError(error, "file-too-large")) {
      throw invalid(source, `${path} is larger than 200 MB. Split it, or leave columns out.`);
    }
    throw isAppError(error) ? invalid(source, error.message) : error;
  }
}

async function readTable(
  bytes: Uint8Array,
  path: string,
  columns: readonly string[],
): Promise<Table> {
  switch (extname(path).toLowerCase()) {
    case ".csv":
      return csvTable(bytes);
    case ".parquet":
      return await parquetTable(bytes, columns);
    default:
      return jsonLinesTable(bytes);
  }
}

function describeFaults(file: string, faults: readonly RowFault[]): string {
  const lines = faults.slice(0, SHOWN).map(({ line, column, message }) => {
    if (line === null) return `  ${file} ${message}`;
    return `  row ${line}${column === null ? "" : `, ${column}:`} ${message}`;
  });
  const left = faults.length - lines.length;
  const count = faults.length === 1 ? "1 problem" : `${faults.length} problems`;
  return [
    `${file} has ${count}:`,
    ...lines,
    ...(left > 0 ? [`  and ${left} more`] : []),
    "Correct the file.",
  ].join("\n");
}

function invalid({ environment }: DatasetSource, message: string): AppError {
  return new AppError("dataset-invalid", message, {
    configPath: `environments.${environment}.tasks`,
  });
}
