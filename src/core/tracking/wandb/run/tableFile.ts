/** A table as a file of the run, and as the cell that shows it in a row: `docs/protocols/wandb.md#tables`. */

import type { Sha256 } from "../../../ports.ts";
import { type ExtendedObject, type ExtendedValue, writeExtended } from "./extendedJson.ts";

export interface Table {
  readonly columns: readonly string[];
  readonly data: readonly (readonly ExtendedValue[])[];
}

export interface TableFile {
  /** Relative to the run's files. */
  readonly path: string;
  readonly text: string;
  readonly cell: ExtendedObject;
}

const DIGEST_DIGITS = 20;

export function tableFile(sha256: Sha256, key: string, step: number, table: Table): TableFile {
  const { columns, data } = table;
  const text = writeExtended({ columns, data });
  const digest = sha256(text);
  const path = `media/table/${cleanPath(key)}_${step}_${digest.slice(0, DIGEST_DIGITS)}.table.json`;
  const cell = {
    _type: "table-file",
    path,
    sha256: digest,
    size: new TextEncoder().encode(text).length,
    ncols: columns.length,
    nrows: data.length,
    log_mode: "IMMUTABLE",
  };
  return { path, text, cell };
}

function cleanPath(key: string): string {
  const parts = key.replace(/^\/+/, "").split("/");
  return parts.map((part) => (part === "." || part === ".." ? "_" : part)).join("/");
}
