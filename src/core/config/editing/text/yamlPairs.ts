/** Offsets, lines and indentation of pairs in a text, as edits need them to keep comments and style. */

import { isMap, type Node, type YAMLMap } from "yaml";
import { isEmptyNode } from "../../source/locate.ts";
import type { Span } from "../../source/span.ts";
import type { Entry } from "../../source/yamlNodes.ts";
import type { YamlSource } from "../../source/yamlSource.ts";

export interface Pair extends Entry {
  /** Offset of the key, or of the `?` before it. */
  readonly start: number;
  readonly keySpan: Span;
  /** Offset after the colon; after the key if it has none. */
  readonly colonEnd: number;
  /** Null for `key:` without a value. */
  readonly valueSpan: Span | null;
  /** Offset after the pair, not counting comments. */
  readonly end: number;
}

/** The pairs written in a mapping itself, in order. */
export function pairsOf(source: YamlSource, node: Node | null): readonly Pair[] {
  return source.ownEntries(node).flatMap((entry) => {
    const pair = pairOf(source, entry);
    return pair === null ? [] : [pair];
  });
}

function pairOf(source: YamlSource, entry: Entry): Pair | null {
  const keySpan = entry.keyNode === null ? null : source.span(entry.keyNode);
  if (keySpan === null) return null;
  const valueSpan = isEmptyNode(entry.value) ? null : source.span(entry.value);
  const colonEnd = colonEndAfter(source.text, keySpan.end);
  const start = pairStart(source.text, keySpan.start);
  return { ...entry, start, keySpan, colonEnd, valueSpan, end: valueSpan?.end ?? colonEnd };
}

const COLON = /[ \t]*(?:(?:#[^\n]*)?\r?\n[ \t]*)*:/y;
const BYTE_ORDER_MARK = 0xfeff;

export function isFlow(source: YamlSource, node: Node | null): boolean {
  const value = source.resolve(node);
  return isMap(value) && (value as YAMLMap).flow === true;
}

/** Offset of the first character of the line. */
export function lineStart(text: string, offset: number): number {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return text.charCodeAt(start) === BYTE_ORDER_MARK ? start + 1 : start;
}

/** Offset of the line's end, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  if (end < 0) return text.length;
  return text[end - 1] === "\r" && end > offset ? end - 1 : end;
}

/** Offset of the start of the next line. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

/** White space as wide as the text before `offset` on its line. */
export function indentAt(text: string, offset: number): string {
  return text.slice(lineStart(text, offset), offset).replace(/[^\t]/g, " ");
}

/** True when only white space precedes `offset` on its line. */
export function isFirstInLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === "";
}

export function newlineOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Indentation per level as used in the file; two spaces if it has no nesting. */
export function stepOf(source: YamlSource): string {
  const outer = pairsOf(source, source.root);
  const nested = outer.find(({ value }) => pairsOf(source, value)[0] !== undefined);
  const inner = nested === undefined ? undefined : pairsOf(source, nested.value)[0];
  if (nested === undefined || inner === undefined || isFlow(source, nested.value)) return "  ";
  const width =
    indentAt(source.text, inner.keySpan.start).length -
    indentAt(source.text, nested.keySpan.start).length;
  return " ".repeat(width > 0 && width <= 8 ? width : 2);
}

/** A key that starts with `?` may have its colon on a later line, after comments. */
function colonEndAfter(text: string, keyEnd: number): number {
  COLON.lastIndex = keyEnd;
  return COLON.test(text) ? COLON.lastIndex : keyEnd;
}

function pairStart(text: string, keyStart: number): number {
  const before = text.slice(lineStart(text, keyStart), keyStart);
  const mark = /\?[ \t]+$/.exec(before);
  return mark === null ? keyStart : keyStart - mark[0].length;
}
