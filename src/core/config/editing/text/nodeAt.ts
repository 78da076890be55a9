/** Finds the key or value at an offset of a text. */

import { isMap, isSeq, type Node } from "yaml";
import type { KeyPath } from "../../source/keyPath.ts";
import { contains, type Span } from "../../source/span.ts";
import type { YamlSource } from "../../source/yamlSource.ts";
import { type Pair, pairsOf } from "./yamlPairs.ts";

export interface FoundNode {
  readonly path: KeyPath;
  readonly part: "key" | "value";
  readonly span: Span;
  readonly node: Node;
}

/** Null for white space, comments, and anything outside a key or value. */
export function nodeAt(source: YamlSource, offset: number): FoundNode | null {
  return source.root === null ? null : nodeIn(source, source.root, [], offset);
}

/** All pairs of the text with their paths, outer ones first; aliases are not followed. */
export function allPairs(
  source: YamlSource,
): readonly { readonly path: KeyPath; readonly pair: Pair }[] {
  const found: { readonly path: KeyPath; readonly pair: Pair }[] = [];
  const visit = (node: Node | null, path: KeyPath): void => {
    if (!isMap(node)) return;
    for (const pair of pairsOf(source, node)) {
      const place = [...path, pair.key];
      found.push({ path: place, pair });
      visit(pair.value, place);
    }
  };
  visit(source.root, []);
  return found;
}

function nodeIn(source: YamlSource, node: Node, path: KeyPath, offset: number): FoundNode | null {
  const span = source.span(node);
  if (span === null || !contains(span, offset)) return null;
  if (isMap(node)) return nodeInPairs(source, pairsOf(source, node), path, offset);
  if (!isSeq<Node>(node)) return { path, part: "value", span, node };
  for (const [index, item] of node.items.entries()) {
    const found = nodeIn(source, item, [...path, String(index)], offset);
    if (found !== null) return found;
  }
  return null;
}

function nodeInPairs(
  source: YamlSource,
  pairs: readonly Pair[],
  path: KeyPath,
  offset: number,
): FoundNode | null {
  for (const { key, keyNode, keySpan, value } of pairs) {
    const place = [...path, key];
    if (keyNode !== null && contains(keySpan, offset)) {
      return { path: place, part: "key", span: keySpan, node: keyNode };
    }
    const found = value === null ? null : nodeIn(source, value, place, offset);
    if (found !== null) return found;
  }
  return null;
}
