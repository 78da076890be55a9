/** Turns a data file into an environment, or reports all problems with its rows. */

import { basename, extname } from "node:path";
import { type PlacedProblem, problemLine } from "../../../core/config/source/problem.ts";
import { AppError, isAppError } from "../../../core/errors.ts";
import type { FileSystem } from "../../../core/ports.ts";
import { sha256 } from "../../../node/hash.ts";
import type { EnvironmentDefinition } from "../environment.ts";
import { csvTable } from "./csvTable.ts";
import { datasetEnvironment } from "./datasetEnvironment.ts";
import { checkRows, type DatasetRow } from "./datasetRows.ts";
import type { DatasetSource } from "./datasetSource.ts";
import type { Grader } from "./graders/grader.ts";
import { createGrader } from "./graders/graders.ts";
import { jsonLinesTable } from "./jsonLinesTable.ts";
import { parquetTable } from "./parquetTable.ts";
import { splitRows } from "./splitRows.ts";
import type { DataTable } from "./table.ts";

const MAX_BYTES = 200 * 1024 * 1024;
/** Number of problems listed in an error. */
const SHOWN = 10;

export interface LoadedDataset {
  /** As spelled in the configuration. */
  readonly environment: string;
  readonly definition: EnvironmentDefinition;
  /** SHA-256 of the file in hexadecimal. */
  readonly digest: string;
}

/** @throws AppError `dataset-invalid` with file, row, column, and configuration key */
export async function loadDataset(
  fileSystem: Files,
  source: DatasetSource,
): Promise<LoadedDataset> {
  const { environment, path, splitFractions } = source;
  const grader = createGrader(source.grader);
  const read = await readDataset(fileSystem, source, grader);
  if (read.problems.length > 0) throw invalid(source, read.problems);
  const definition = datasetEnvironment({
    name: environment.slice("local/".length),
    file: basename(path),
    splits: splitRows(read.rows, splitFractions),
    grader,
    isRuleInPrompt: source.grader.in_prompt,
  });
  return { environment, definition, digest: read.digest };
}

/** All problems of a dataset file with their positions; if the rows are fine, which of `splits` are empty. */
export async function datasetProblems(
  fileSystem: Files,
  source: DatasetSource,
  splits: readonly string[],
): Promise<readonly PlacedProblem[]> {
  const { rows, problems } = await readDataset(fileSystem, source, createGrader(source.grader));
  if (problems.length > 0) return problems;
  const held = splitRows(rows, source.splitFractions);
  return splits
    .filter((split) => !held.has(split))
    .map((split) => {
      const message = `no row is in the split ${split}; there is ${[...held.keys()].join(", ")}`;
      return problemOf(source, source.path, message);
    });
}

type Files = Pick<FileSystem, "readBytes">;

interface ReadDataset {
  readonly rows: readonly DatasetRow[];
  readonly digest: string;
  readonly problems: readonly PlacedProblem[];
}

async function readDataset(
  fileSystem: Files,
  source: DatasetSource,
  grader: Grader,
): Promise<ReadDataset> {
  const { path, columns } = source;
  let bytes: Uint8Array;
  try {
    bytes = await fileSystem.readBytes(path, MAX_BYTES);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { rows: [], digest: "", problems: [problemOf(source, path, unreadable(error))] };
  }
  const table = await readTable(bytes, path, Object.values(columns));
  const { rows, faults } = checkRows(table, columns, grader);
  const hasLines = extname(path).toLowerCase() !== ".parquet";
  const problems = faults.map(({ line, column, message }) => {
    const row = line === null ? "the file" : `row ${line}${column === null ? "" : `, ${column}:`}`;
    return problemOf(source, hasLines ? `${path}:${line ?? 1}:1` : path, `${row} ${message}`);
  });
  return { rows, digest: sha256(bytes), problems };
}

function problemOf({ environment }: DatasetSource, place: string, message: string): PlacedProblem {
  const path = ["environments", environment, "tasks"];
  return { severity: "error", code: "TRL222", place, message, path };
}

function unreadable({ code, message }: AppError): string {
  if (code === "file-not-found") return "the file does not exist";
  if (code === "file-too-large") {
    return "the file is larger than 200 MB; split it, or leave columns out";
  }
  return message;
}

async function readTable(
  bytes: Uint8Array,
  path: string,
  columns: readonly string[],
): Promise<DataTable> {
  switch (extname(path).toLowerCase()) {
    case ".csv":
      return csvTable(bytes);
    case ".parquet":
      return await parquetTable(bytes, columns);
    default:
      return jsonLinesTable(bytes);
  }
}

/** A summary line, then one line for each of the first problems in a format that terminals and editors turn into links. */
function invalid(
  { environment, path }: DatasetSource,
  problems: readonly PlacedProblem[],
): AppError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const shown = problems.length > SHOWN ? `, the first ${SHOWN} of them` : "";
  const head = `${path}: error: the data file has ${count}${shown}`;
  const lines = problems.slice(0, SHOWN).map(problemLine);
  return new AppError("dataset-invalid", [head, ...lines].join("\n"), {
    configPath: `environments.${environment}.tasks`,
  });
}
