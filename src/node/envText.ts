/** Parses `.env` text the way Node does. */

import { parseEnv } from "node:util";

/** An assignment in lines `from` (inclusive) to `to` (exclusive). */
interface Assignment {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Values by name. Passes only assignments to Node's parser, which scans the rest of the text for every other line, even blank ones, so that
 * a megabyte of them would take seconds.
 */
export function parseEnvText(text: string): NodeJS.Dict<string> {
  const lines = text.split("\n");
  const kept = assignmentsIn(lines).flatMap(({ from, to }) => lines.slice(from, to));
  return parseEnv(kept.join("\n"));
}

/** A line that sets `name` to `value`; null if no quotes keep the value. */
export function assignmentOf(name: string, value: string): string | null {
  const lines = ["'", '"', "`"].map((mark) => `${name}=${mark}${value}${mark}`);
  return lines.find((line) => parseEnvText(line)[name] === value) ?? null;
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
 * Number of lines the assignment spans. A quoted value extends to the next matching quote, or to the end of its line without one. `ended`
 * collects quotes that do not occur in later lines, to avoid repeated searches.
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
