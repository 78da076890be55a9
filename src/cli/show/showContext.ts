/** Shared context of all views of a run folder, and their error for a number that does not exist. */

import { AppError } from "../../core/errors.ts";
import type { FolderFiles } from "../../core/ports.ts";
import { createRunReader, type RunReader } from "../../core/runFolder/reader.ts";
import type { Liveness } from "../../core/runFolder/runFile.ts";
import { plural } from "../../shared/format.ts";
import type { ProgramOptions } from "../arguments/programOptions.ts";
import { commandLine } from "../terminal/invocation.ts";
import { type Line, quietLine } from "../terminal/line.ts";

export interface ShowContext
  extends Pick<ProgramOptions, "clock" | "isProcessAlive" | "invocation" | "loadTokenizer"> {
  /** Confined to the run folder. */
  readonly fileSystem: FolderFiles;
  readonly reader: RunReader;
  /** The run folder as given by the user. */
  readonly folder: string;
  /** Code points per row. */
  readonly width: number;
}

export function showContext(options: ProgramOptions, folder: string): ShowContext {
  const { clock, invocation, isProcessAlive, loadTokenizer, out } = options;
  const fileSystem = options.fileSystem.within(folder);
  const reader = createRunReader(fileSystem, folder);
  const program = { clock, invocation, isProcessAlive, loadTokenizer };
  return { ...program, fileSystem, reader, folder, width: out.columns };
}

export function livenessIn({ clock, isProcessAlive }: ShowContext): Liveness {
  return { nowMs: clock.now(), isProcessAlive };
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
