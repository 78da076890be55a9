/** Where the name of a configuration is in `tasks.json`, which is JSON with comments. */

import type { Span } from "../../source/span.ts";
import { lineStart } from "../text/yamlPairs.ts";

/** The text between the quotes behind `"config":` of one of our tasks, when `offset` is in it; else null. Never throws. */
export function taskConfigAt(text: string, offset: number, type: string): Span | null {
  const before = /"config"[ \t]*:[ \t]*"([^"\\]*)$/.exec(
    text.slice(lineStart(text, offset), offset),
  );
  if (before === null) return null;
  const object = objectAround(text, offset);
  const isOurs = new RegExp(`"type"\\s*:\\s*"${type}"`).test(object);
  if (!isOurs) return null;
  const rest = /^[^"\r\n]*/.exec(text.slice(offset))?.[0] ?? "";
  return { start: offset - (before[1] ?? "").length, end: offset + rest.length };
}

/** A string, a comment or a brace. */
const TOKEN = /"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"?|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)|[{}]/g;

/** The innermost object around `offset`, as far as it is written; empty outside of all. */
function objectAround(text: string, offset: number): string {
  const open: number[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "{") open.push(index);
    if (token !== "}") continue;
    const start = open.pop() ?? offset;
    if (start < offset && index >= offset) return text.slice(start, index);
  }
  return text.slice(open.findLast((start) => start < offset) ?? text.length);
}
