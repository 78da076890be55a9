/** Reads JSON Lines: one object per line. */

import { isJsonObject } from "../../../core/json.ts";
import { parseJson } from "../../../core/util/jsonl.ts";
import { type DataTable, NOT_UTF8, type RowFault, type TableRow } from "./table.ts";

const LINE_FEED = 0x0a;

/** Skips empty lines; accepts a byte order mark and CR LF. Never throws. */
export function jsonLinesTable(bytes: Uint8Array): DataTable {
  const columns = new Set<string>();
  const rows: TableRow[] = [];
  const faults: RowFault[] = [];
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let start = 0;
  for (let line = 1; start < bytes.length; line += 1) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found;
    const parsed = parseRow(bytes.subarray(start, end), decoder);
    start = end + 1;
    if (parsed === null) continue;
    if (typeof parsed === "string") {
      faults.push({ line, column: null, message: parsed });
      continue;
    }
    for (const name of Object.keys(parsed)) columns.add(name);
    rows.push({ line, values: parsed });
  }
  return { columns, rows, faults };
}

/** The object in a line, the problem with it, or null for an empty line. */
function parseRow(bytes: Uint8Array, decoder: InstanceType<typeof TextDecoder>) {
  let text: string;
  try {
    text = decoder.decode(bytes).trim();
  } catch {
    return NOT_UTF8;
  }
  if (text === "") return null;
  const parsed = parseJson(text);
  if (parsed === null) return "is not valid JSON, or is nested too deeply";
  const { value } = parsed;
  return isJsonObject(value)
    ? value
    : `is ${Array.isArray(value) ? "a list" : "a single value"}; each line must be an object such as {"question": "…", "answer": "…"}`;
}
