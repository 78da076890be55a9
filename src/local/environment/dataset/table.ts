/** A data file as rows of named values, before validation. */

export interface TableRow {
  /** Line in the file where the row starts, from 1; in Parquet, the row number. */
  readonly line: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A problem with a file, as the end of a sentence such as `row 3, answer: is empty`. */
export interface RowFault {
  /** Null for the whole file. */
  readonly line: number | null;
  readonly column: string | null;
  readonly message: string;
}

export interface DataTable {
  /** All names in the header or any row. */
  readonly columns: ReadonlySet<string>;
  readonly rows: readonly TableRow[];
  readonly faults: readonly RowFault[];
}

/** A table that consists only of an error. */
export function faultyTable(message: string, line: number | null = null): DataTable {
  return { columns: new Set(), rows: [], faults: [{ line, column: null, message }] };
}

export const NOT_UTF8 = "is not UTF-8; save the file in that encoding";
