/** Edits that convert a value to the form its key requires: a list to a mapping, or to its only item. */

import { isMap, isScalar, isSeq, type Node } from "yaml";
import type { Json } from "../../../json.ts";
import { shapeAt } from "../../fields/fields.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import type { YamlSource } from "../../source/yamlSource.ts";
import { findPair, type PairInMap } from "../edits/pairEdits.ts";
import { setValueIn } from "../edits/setValue.ts";
import type { TextEdit } from "../text/textEdit.ts";
import { indentAt, lineEnd, lineStart, nextLine, stepOf } from "../text/yamlPairs.ts";

/** Replaces the list at `path` with its only scalar; null for any other list. */
export function takeOutOfList(source: YamlSource, path: KeyPath): readonly TextEdit[] | null {
  const place = findPair(source, path);
  const list = place?.pair.value ?? null;
  if (!isSeq<Node>(list) || list.items.length !== 1) return null;
  const [item] = list.items;
  // Scalars of a configuration are JSON.
  return isScalar(item) ? setValueIn(source, path, item.value as Json) : null;
}

/**
 * Converts the list or name at `path` to a mapping: names become keys, and single-key mappings become pairs. A multi-line list keeps its
 * lines and comments. Null when an item is anything else.
 */
export function asMapping(source: YamlSource, path: KeyPath): readonly TextEdit[] | null {
  const place = findPair(source, path);
  const value = place?.pair.value ?? null;
  if (place === null || value === null) return null;
  const items = isSeq<Node>(value) ? value.items : [value];
  if (items.length === 0 || !items.every((item) => isKeyLike(source, item, path))) return null;
  const isBlock = isSeq(value) && value.flow !== true;
  return isBlock ? dashesRemoved(source, place, items) : asFlow(source, path, items);
}

function isKeyLike(source: YamlSource, item: Node, path: KeyPath): boolean {
  if (isScalar(item)) return typeof item.value === "string";
  if (!isMap(item)) return false;
  return shapeAt(path)?.type === "object" || source.ownEntries(item).length === 1;
}

function asFlow(
  source: YamlSource,
  path: KeyPath,
  items: readonly Node[],
): readonly TextEdit[] | null {
  if (!items.every((item) => isScalar(item))) return null;
  const names = items.map((item) => [String(item.value), null] as const);
  const mapping: Json = Object.fromEntries(names);
  return setValueIn(source, path, mapping);
}

function dashesRemoved(
  source: YamlSource,
  { pair }: PairInMap,
  items: readonly Node[],
): readonly TextEdit[] | null {
  const { text } = source;
  if (pair.valueSpan === null) return null;
  const { start, end } = pair.valueSpan;
  const column = start - lineStart(text, start);
  const keyColumn = indentAt(text, pair.keySpan.start).length;
  const indent = " ".repeat(column) + (column > keyColumn ? "" : stepOf(source));
  const lines = linesAt(text, start, end).map((line) => ({
    ...line,
    dash: line.content.slice(0, column).trim() === "" ? dashOf(line.content.slice(column)) : "",
  }));
  const edits: TextEdit[] = [];
  let width = column;
  for (const { at, content, dash } of lines) {
    if (dash !== "") width = column + dash.length;
    else if (content.slice(0, width).trim() !== "") return null;
    edits.push({ span: { start: at, end: at + width }, text: indent });
  }
  const names = items.flatMap((item) => (isScalar(item) ? (source.span(item) ?? []) : []));
  return [
    ...edits,
    ...names.map((span) => ({ span: { start: span.end, end: span.end }, text: ":" })),
  ];
}

/** The non-blank lines from `start` to `end`, each with its offset. */
function linesAt(text: string, start: number, end: number) {
  const lines: { readonly at: number; readonly content: string }[] = [];
  for (let at = lineStart(text, start); at < end; at = nextLine(text, at)) {
    const content = text.slice(at, lineEnd(text, at));
    if (content.trim() !== "") lines.push({ at, content });
  }
  return lines;
}

/** A list item's dash with the white space after it; empty without one. */
function dashOf(content: string): string {
  return /^-[ ]+(?=\S)/.exec(content)?.[0] ?? "";
}
