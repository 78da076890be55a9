/** Reads CSV (RFC 4180) with a header row. */

import { CsvError, parse } from "csv-parse/sync";
import { type DataTable, faultyTable, NOT_UTF8, type RowFault, type TableRow } from "./table.ts";

/** All values are strings. Accepts a byte order mark and CR LF. In a truncated file, drops a record with an open quote. Never throws. */
export function csvTable(bytes: Uint8Array, isCut = false): DataTable {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return faultyTable(NOT_UTF8, badLine(bytes));
  }
  const records = parseRecords(text, isCut);
  if ("faults" in records) return records;
  const [head, ...body] = records;
  if (head === undefined) return faultyTable("is empty");
  const header = head.record.map((name) => name.trim());
  const faults: RowFault[] = header.flatMap((name, index) => {
    const message =
      name === ""
        ? `column ${index + 1} has no name`
        : header.indexOf(name) < index
          ? `the name ${JSON.stringify(name)} occurs twice in the header`
          : null;
    return message === null ? [] : [{ line: lineOf(head), column: null, message }];
  });
  const rows: TableRow[] = [];
  for (const each of body) {
    const { record } = each;
    if (record.length === header.length) {
      const values = Object.fromEntries(header.map((name, index) => [name, record[index]]));
      rows.push({ line: lineOf(each), values });
      continue;
    }
    const message = `has ${record.length} values, but the header has ${header.length} columns`;
    faults.push({ line: lineOf(each), column: null, message });
  }
  return { columns: new Set(header), rows, faults };
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function parseRecords(text: string, isCut: boolean): readonly CsvRecord[] | DataTable {
  const records: CsvRecord[] = [];
  try {
    // The package miscounts CR LF line ends within quotes.
    parse(text.replaceAll("\r\n", "\n"), {
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record(record) {
        // The package's types do not reflect its `info` option.
        records.push(record as unknown as CsvRecord);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.code !== "CSV_QUOTE_NOT_CLOSED") {
      return faultyTable(`is not valid CSV: ${error.message}`, Number(error["lines"]));
    }
    if (!isCut) {
      const lastLine = records.at(-1)?.info.lines ?? 0;
      return faultyTable("opens a quote that is never closed", lastLine + 1);
    }
  }
  return records;
}

/** The line where a record starts; `info` has the line where it ends. */
function lineOf({ record, info }: CsvRecord): number {
  const breaks = record.reduce((sum, value) => sum + value.split("\n").length - 1, 0);
  return info.lines - breaks;
}

/** The first line that is not UTF-8. */
function badLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let start = 0;
  for (let line = 1; ; line += 1) {
    const found = bytes.indexOf(0x0a, start);
    const end = found < 0 ? bytes.length : found;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    if (found < 0) return line;
    start = end + 1;
  }
}
