/** Edits that give a value the form that its key asks for: a list becomes a mapping, or the one value in it. */

import { isMap, isScalar, isSeq, type Node } from "yaml";
import type { Json } from "../../../json.ts";
import { shapeAt } from "../../fields/fields.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import type { YamlSource } from "../../source/yamlSource.ts";
import { findPair, type PairInMap } from "../edits/pairEdits.ts";
import { setValueIn } from "../edits/setValue.ts";
import type { TextEdit } from "../text/textEdit.ts";
import { indentAt, lineEnd, lineStart, nextLine, stepOf } from "../text/yamlPairs.ts";

/** The list at `path` replaced by the one scalar in it; null for any other list. */
export function takeOutOfList(source: YamlSource, path: KeyPath): readonly TextEdit[] | null {
  const place = findPair(source, path);
  const list = place?.pair.value ?? null;
  if (!isSeq<Node>(list) || list.items.length !== 1) return null;
  const [item] = list.items;
  // A scalar of a configuration is JSON.
  return isScalar(item) ? setValueIn(source, path, item.value as Json) : null;
}

/**
 * The list or name at `path` as a mapping: names become keys, and mappings of one key stay what they are. A list of several
 * lines keeps its lines and comments. Null for a list of anything else.
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

/** The lines from `start` to `end` that are not blank, each with the offset at which it begins. */
function linesAt(text: string, start: number, end: number) {
  const lines: { readonly at: number; readonly content: string }[] = [];
  for (let at = lineStart(text, start); at < end; at = nextLine(text, at)) {
    const content = text.slice(at, lineEnd(text, at));
    if (content.trim() !== "") lines.push({ at, content });
  }
  return lines;
}

/** The dash of a list's item with the white space behind it; empty where there is none. */
function dashOf(content: string): string {
  return /^-[ ]+(?=\S)/.exec(content)?.[0] ?? "";
}
