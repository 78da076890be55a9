/** Shared context of all views of a run folder, and their error for a number that does not exist. */

import type { Tokenizer } from "../../core/chat/tokenizer.ts";
import { AppError } from "../../core/errors.ts";
import type { Clock, FolderFiles } from "../../core/ports.ts";
import type { RunReader } from "../../core/runFolder/reader.ts";
import type { Liveness } from "../../core/runFolder/runFile.ts";
import { plural } from "../../shared/format.ts";
import { commandLine, type Invocation } from "../terminal/invocation.ts";
import { type Line, quietLine } from "../terminal/line.ts";

export interface ShowContext {
  /** Confined to the run folder. */
  readonly fileSystem: FolderFiles;
  readonly clock: Clock;
  readonly isProcessAlive: Liveness["isProcessAlive"];
  readonly reader: RunReader;
  /** The run folder as given by the user. */
  readonly folder: string;
  /** Code points per row. */
  readonly width: number;
  readonly invocation: Invocation;
  readonly loadTokenizer: (name: string, configPath: string) => Promise<Tokenizer>;
}

/** A command that shows more of the same run. */
export function showCommand(context: ShowContext, ...flags: readonly string[]): Line {
  const command = commandLine(context.invocation, "show", context.folder, ...flags);
  return [`  ${command}`];
}

/** More rows than anyone reads in a terminal; laying out tens of thousands would take seconds. */
const MAX_ROWS = 5_000;

/** The last rows of `all`, and a note on how many earlier ones were omitted; `file` contains all of them. */
export function newestRows<T>(
  all: readonly T[],
  file: string,
): { readonly rows: readonly T[]; readonly note: readonly Line[] } {
  const left = all.length - MAX_ROWS;
  if (left <= 0) return { rows: all, note: [] };
  const note = plural(
    left,
    "{0} earlier row not shown; all are in {1}",
    "{0} earlier rows not shown; all are in {1}",
    file,
  );
  return { rows: all.slice(left), note: [quietLine(note)] };
}

/**
 * The error for a number that does not exist: `missing` describes it, `kind` says what the `existing` numbers are; all as the user counts.
 */
export function notFoundError(
  missing: string,
  kind: string,
  existing: readonly number[],
): AppError {
  return new AppError(
    "no-such-number",
    `There is no ${missing}. ${kind}: ${existing.length === 0 ? "none yet" : describeNumbers(existing)}.`,
  );
}

/** Ascending numbers with consecutive ones joined: `1 to 12, 15`. */
function describeNumbers(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && number === range.last + 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges
    .map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`))
    .join(", ");
}
