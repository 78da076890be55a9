/** Reads YAML nodes: entries of mappings including merged ones, their keys, and the spans of nodes. */

import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  visit,
  type YAMLMap,
} from "yaml";
import type { Span } from "./span.ts";

/** One `key: value` of a mapping; merged entries (`<<`) keep the nodes from where they were written. */
export interface Entry {
  readonly key: string;
  readonly keyNode: Node | null;
  readonly value: Node | null;
}

/** Resolves an alias to its node; returns any other node unchanged. */
export type Resolve = (node: Node | null) => Node | null;

/** Limit on nodes visited through aliases plus keys merged into mappings. */
const MAX_VISITS = 10_000;
const MAX_KEY_TEXT = 200;

/** A scalar as written, without quotes: `0.10` stays `0.10`. */
export function scalarText(value: unknown, source: string | undefined): string {
  return typeof value === "string" ? value : (source ?? String(value));
}

/** Span without trailing white space; null for a node that is not in the text. */
export function spanOf(text: string, { range }: Node): Span | null {
  if (!range) return null;
  const [start, end] = range;
  const length = text.slice(start, end).trimEnd().length;
  return { start, end: start + length };
}

/** Maps each alias to the last preceding node with its anchor. */
export function aliasTargets(document: Document.Parsed): ReadonlyMap<Alias, Node | null> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node | null>();
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) targets.set(node, anchors.get(node.source) ?? null);
      else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

export interface VisitBudget {
  /**
   * Requests to visit `count` more nodes below `node`. Readers that follow aliases must ask, because a few lines of aliases can expand to
   * far more than a configuration holds.
   */
  mayVisit(count: number, node: Node): boolean;
  /** The first node that exceeded the budget; null while none has. */
  exhaustedBy(): Node | null;
}

export function visitBudget(): VisitBudget {
  let left = MAX_VISITS;
  let exhaustedBy: Node | null = null;
  return {
    mayVisit: (count, node) => {
      left -= count;
      if (left < 0) exhaustedBy ??= node;
      return left >= 0;
    },
    exhaustedBy: () => exhaustedBy,
  };
}

/** Reads entries including merged ones. Each mapping is merged once, however many others build on it. */
export function mergeReader(
  text: string,
  resolve: Resolve,
  budget: VisitBudget,
): (node: Node | null) => readonly Entry[] {
  const known = new Map<Node, readonly Entry[]>();
  const read = (node: Node | null): readonly Entry[] => {
    const map = resolve(node);
    if (!isMap<Node | null, Node | null>(map)) return [];
    const before = known.get(map);
    if (before !== undefined) return before;
    // A mapping that merges itself adds no keys.
    known.set(map, []);
    const entries = merged(map);
    known.set(map, entries);
    return entries;
  };
  const merged = (map: YAMLMap<Node | null, Node | null>): readonly Entry[] => {
    const own = ownEntries(text, map);
    const merges = map.items.filter(({ key }) => isMergeKey(key));
    if (merges.length === 0 && new Set(own.map(({ key }) => key)).size === own.length) return own;
    const byKey = new Map<string, Entry>();
    const add = (entries: readonly Entry[]): void => {
      for (const entry of entries) if (!byKey.has(entry.key)) byKey.set(entry.key, entry);
    };
    add(own);
    for (const { key, value } of merges) {
      for (const source of mergeSources(resolve, value)) {
        const entries = read(source);
        if (!budget.mayVisit(entries.length + 1, key ?? map)) return [...byKey.values()];
        add(entries);
      }
    }
    return [...byKey.values()];
  };
  return read;
}

/** Entries written in the mapping itself, duplicates included; empty for any other node. */
export function ownEntries(text: string, node: Node | null): readonly Entry[] {
  if (!isMap(node)) return [];
  // Keys of a parsed mapping are always nodes.
  const { items } = node as YAMLMap<Node | null, Node | null>;
  return items
    .filter(({ key }) => !isMergeKey(key))
    .map(({ key, value }) => ({ key: keyText(text, key), keyNode: key, value }));
}

function mergeSources(resolve: Resolve, node: Node | null): readonly (Node | null)[] {
  const value = resolve(node);
  return isSeq<Node>(value) ? value.items : [value];
}

/** True for `<<`. */
export function isMergeKey(key: Node | null): boolean {
  return isScalar(key) && typeof key.value === "symbol";
}

function keyText(text: string, key: Node | null): string {
  if (isScalar(key)) return scalarText(key.value, key.source);
  const range = key?.range;
  return range ? text.slice(range[0], Math.min(range[1], range[0] + MAX_KEY_TEXT)) : "null";
}
