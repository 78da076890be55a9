/** The text of a `.env` file: its values as Node reads them, and the same text with some of them commented out. */

import { parseEnv } from "node:util";

export const COMMENT = "# ";

/** Values by name; empty ones are left out, as they count as not set, and a comment at the end, which Node takes for a name. */
export function readEnv(text: string): Readonly<Record<string, string>> {
  const values = Object.entries(parseEnv(text));
  return Object.fromEntries(
    values.flatMap(([name, value]) =>
      value === undefined || value === "" || name.startsWith("#") ? [] : [[name, value]],
    ),
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
  const ended = new Set<string>();
  for (let line = 0; line < lines.length; line++) {
    const name = assignedName(lines[line] ?? "");
    if (name === null) continue;
    const end = line + spannedLines(lines, line, ended);
    if (wanted.has(name)) for (let at = line; at < end; at++) chosen.add(at);
    line = end - 1;
  }
  const after = lines.map((line, index) => (chosen.has(index) ? COMMENT + line : line)).join("\n");
  return reads(
    after,
    Object.entries(readEnv(text)).filter(([name]) => !wanted.has(name)),
  )
    ? startsOf(lines, chosen)
    : null;
}

const ASSIGNMENT = /^\s*(?:export\s+)?([\w.-]+)\s*=/;

function assignedName(line: string): string | null {
  return ASSIGNMENT.exec(line)?.[1] ?? null;
}

/**
 * A quoted value reaches to the next such mark, or to the end of its line when there is none. `ended` has the marks that no later line
 * has, so that the rest of the text is not searched for each line.
 */
function spannedLines(lines: readonly string[], start: number, ended: Set<string>): number {
  const opening = /=\s*(["'`])(.*)$/s.exec(lines[start] ?? "");
  const [, mark = "", rest = ""] = opening ?? [];
  if (opening === null || rest.includes(mark) || ended.has(mark)) return 1;
  for (let end = start + 1; end < lines.length; end += 1) {
    if (lines[end]?.includes(mark)) return end - start + 1;
  }
  ended.add(mark);
  return 1;
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
