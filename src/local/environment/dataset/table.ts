/** A data file as rows of named values, before anything is known about them. */

export interface TableRow {
  /** Line in the file, from 1, where the row begins; in Parquet the number of the row. */
  readonly line: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** What is wrong with a file, as the end of a sentence such as `row 3, answer: is empty`. */
export interface RowFault {
  /** Null for the file as a whole. */
  readonly line: number | null;
  readonly column: string | null;
  readonly message: string;
}

export interface DataTable {
  /** Every name that the header or any row has. */
  readonly columns: ReadonlySet<string>;
  readonly rows: readonly TableRow[];
  readonly faults: readonly RowFault[];
}

/** A table of nothing but a fault. */
export function faultyTable(message: string, line: number | null = null): DataTable {
  return { columns: new Set(), rows: [], faults: [{ line, column: null, message }] };
}

export const NOT_UTF8 = "is not UTF-8; save the file in that encoding";
