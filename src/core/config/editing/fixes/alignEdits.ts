/** Edits that move a line and everything nested under it to the indentation of its mapping. */

import { checkText } from "../../check.ts";
import type { YamlSource } from "../../source/yamlSource.ts";
import { syntaxErrors, syntaxErrorsAfter } from "../edits/setValue.ts";
import { applyEdits, type TextEdit } from "../text/textEdit.ts";
import { lineEnd, lineStart, nextLine } from "../text/yamlPairs.ts";

/** How many indentation levels above the line to try; each costs one parse of the text. */
const MAX_LEVELS = 4;
/** Longer texts are not worth that many parses for one fix. */
const MAX_CHARACTERS = 32 * 1024;

/**
 * Moves the line at `offset` to the indentation of an earlier line, choosing the one that leaves the fewest errors; null if none parses.
 */
export function alignLine(source: YamlSource, offset: number): readonly TextEdit[] | null {
  if (source.text.length > MAX_CHARACTERS) return null;
  const start = lineStart(source.text, offset);
  const path = source.language === "json" ? "text.json" : "text.yaml";
  const candidates = levelsAbove(source.text, start)
    .map((indent) => reindent(source.text, start, indent))
    .filter((edits) => syntaxErrorsAfter(source, edits) < syntaxErrors(source))
    .map((edits) => ({ edits, faults: errorsIn(applyEdits(source.text, edits), path) }));
  const [best] = candidates.toSorted((a, b) => a.faults - b.faults);
  return best?.edits ?? null;
}

function errorsIn(text: string, path: string): number {
  return checkText(text, { path }).problems.filter(({ severity }) => severity === "error").length;
}

/** Indentation widths of the lines above `start`, nearest first, without the line's own width. */
function levelsAbove(text: string, start: number): readonly number[] {
  const own = indentOf(text, start);
  const levels = new Set<number>();
  for (let at = start; at > 0 && levels.size < MAX_LEVELS; ) {
    at = lineStart(text, at - 1);
    const content = text.slice(at, lineEnd(text, at)).trim();
    const indent = indentOf(text, at);
    if (content !== "" && !content.startsWith("#") && indent !== own) levels.add(indent);
    if (indent === 0 && content !== "") break;
  }
  return [...levels];
}

function reindent(text: string, start: number, indent: number): readonly TextEdit[] {
  const own = indentOf(text, start);
  const edits: TextEdit[] = [];
  for (let at = start; at < text.length; at = nextLine(text, at)) {
    const isBlank = text.slice(at, lineEnd(text, at)).trim() === "";
    const width = indentOf(text, at);
    if (at > start && !isBlank && width <= own) break;
    const moved = " ".repeat(Math.max(0, indent + width - own));
    if (!isBlank) edits.push({ span: { start: at, end: at + width }, text: moved });
  }
  return edits;
}

function indentOf(text: string, start: number): number {
  return /^ */.exec(text.slice(start, lineEnd(text, start)))?.[0].length ?? 0;
}
