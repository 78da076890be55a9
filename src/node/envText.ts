/** The values in the text of a `.env` file, as Node reads them. */

import { parseEnv } from "node:util";

/** A value that a text assigns to a name, in lines `from` to before `to`. */
interface Assignment {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Values by name. Node reads only the lines that assign something: for every other line, blank ones too, it goes through the rest of the
 * text, so that a megabyte of them takes seconds.
 */
export function parseEnvText(text: string): NodeJS.Dict<string> {
  const lines = text.split("\n");
  const kept = assignmentsIn(lines).flatMap(({ from, to }) => lines.slice(from, to));
  return parseEnv(kept.join("\n"));
}

export function assignmentsIn(lines: readonly string[]): readonly Assignment[] {
  const found: Assignment[] = [];
  const ended = new Set<string>();
  for (let line = 0; line < lines.length; line++) {
    const name = assignedName(lines[line] ?? "");
    if (name === null) continue;
    const to = line + spannedLines(lines, line, ended);
    found.push({ name, from: line, to });
    line = to - 1;
  }
  return found;
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
