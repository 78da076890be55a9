/** Parses `.env` text like Node does, and comments out assignments in it. */

import { assignmentsIn, parseEnvText } from "../../node/envText.ts";

export const COMMENT = "# ";

/** Values by name, without empty ones, which count as not set. */
export function readEnv(text: string): Readonly<Record<string, string>> {
  const values = Object.entries(parseEnvText(text));
  return Object.fromEntries(
    values.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]])),
  );
}

/**
 * Line starts in `text` at which to insert {@link COMMENT}, so that Node no longer reads `names` but reads everything else as before. Null
 * if that is not possible with whole lines.
 */
export function placesToComment(text: string, names: readonly string[]): readonly number[] | null {
  const lines = text.split("\n");
  const wanted = new Set(names);
  const chosen = new Set<number>();
  for (const { name, from, to } of assignmentsIn(lines)) {
    if (wanted.has(name)) for (let at = from; at < to; at++) chosen.add(at);
  }
  const after = lines.map((line, index) => (chosen.has(index) ? COMMENT + line : line)).join("\n");
  return reads(
    after,
    Object.entries(readEnv(text)).filter(([name]) => !wanted.has(name)),
  )
    ? startsOf(lines, chosen)
    : null;
}

function reads(text: string, expected: readonly (readonly [string, string])[]): boolean {
  const values = Object.entries(readEnv(text));
  return JSON.stringify(values.toSorted()) === JSON.stringify(expected.toSorted());
}

function startsOf(lines: readonly string[], chosen: ReadonlySet<number>): readonly number[] {
  const starts: number[] = [];
  let offset = 0;
  for (const [index, line] of lines.entries()) {
    if (chosen.has(index)) starts.push(offset);
    offset += line.length + 1;
  }
  return starts;
}
