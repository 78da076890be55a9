/** Maps a key path to the span of text that a problem should point at. */

import { isSeq, type Node } from "yaml";
import type { KeyPath } from "./keyPath.ts";
import type { Span } from "./span.ts";
import type { Entry } from "./yamlNodes.ts";
import { languageOf, readYaml, type YamlSource } from "./yamlSource.ts";

/** The key, the value, or both including the text between. */
export type PairPart = "key" | "value" | "pair";

/**
 * Span of `part` of the pair at `path`. When the file has no such pair, the span of the nearest existing parent key, or of the first key
 * at the top level.
 */
export function locate(source: YamlSource, path: KeyPath, part: PairPart): Span | null {
  let node = source.root;
  let span = rootSpan(source);
  for (const [depth, key] of path.entries()) {
    const entry = childOf(source, node, key);
    if (entry === undefined) return span;
    const isLast = depth === path.length - 1;
    span = spanOfEntry(source, entry, isLast ? part : "key") ?? span;
    node = entry.value;
  }
  return span;
}

/** The entry at `path`, or null if the file has none. */
export function entryAt(source: YamlSource, path: KeyPath): Entry | null {
  let node = source.root;
  let found: Entry | null = null;
  for (const key of path) {
    const entry = childOf(source, node, key);
    if (entry === undefined) return null;
    found = entry;
    node = entry.value;
  }
  return found;
}

/** True for a missing node and for the empty value of `key:`, whose range would be where the next token starts. */
export function isEmptyNode(node: Node | null): node is null {
  return node === null || (node.range != null && node.range[0] === node.range[1]);
}

function rootSpan(source: YamlSource): Span | null {
  if (source.root === null) return null;
  const first = source.entries(source.root)[0]?.keyNode;
  return source.span(first ?? source.root);
}

function spanOfEntry(source: YamlSource, { keyNode, value }: Entry, part: PairPart): Span | null {
  const keySpan = keyNode === null ? null : source.span(keyNode);
  const valueSpan = isEmptyNode(value) ? null : source.span(value);
  if (part === "value") return valueSpan ?? keySpan;
  if (part === "key" || valueSpan === null || keySpan === null) return keySpan ?? valueSpan;
  return { start: keySpan.start, end: Math.max(keySpan.end, valueSpan.end) };
}

function childOf(source: YamlSource, node: Node | null, key: string): Entry | undefined {
  const parent = source.resolve(node);
  if (!isSeq<Node>(parent)) return source.entries(parent).find((entry) => entry.key === key);
  const item = parent.items[Number(key)];
  return item === undefined ? undefined : { key, keyNode: null, value: item };
}

/** Span of `part` at `keys`, or of the nearest existing parent key; null for an empty text. */
export function keySpan(
  text: string,
  keys: KeyPath,
  { path, part }: { readonly path: string; readonly part: PairPart },
): Span | null {
  return locate(readYaml(text, languageOf(path)), keys, part);
}
