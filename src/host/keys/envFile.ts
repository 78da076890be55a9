/** The text of a `.env` file: its values as Node reads them, and the same text with some of them commented out. */

import { assignmentsIn, parseEnvText } from "../../node/envText.ts";

export const COMMENT = "# ";

/** Values by name; empty ones are left out, as they count as not set. */
export function readEnv(text: string): Readonly<Record<string, string>> {
  const values = Object.entries(parseEnvText(text));
  return Object.fromEntries(
    values.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]])),
  );
}

/**
 * The places in `text`, each the start of a line, to put {@link COMMENT} at, so that Node no longer reads `names` and reads
 * everything else as before. Null when no choice of whole lines does that.
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
