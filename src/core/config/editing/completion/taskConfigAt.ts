/** Finds the configuration's name in `tasks.json`, which is JSON with comments. */

import type { Span } from "../../source/span.ts";
import { lineStart } from "../text/yamlPairs.ts";

/** The string after `"config":` in a task of the given type, when `offset` is inside it; else null. Never throws. */
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

/** The text of the innermost object around `offset`, as far as it is written; empty outside all objects. */
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
