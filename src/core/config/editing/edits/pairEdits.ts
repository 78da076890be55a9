/** Edits that remove or rename one pair and keep the rest of the text, including comments. */

import { isMap, type Node, visit } from "yaml";
import type { KeyPath } from "../../source/keyPath.ts";
import type { YamlSource } from "../../source/yamlSource.ts";
import type { TextEdit } from "../text/textEdit.ts";
import { wordText } from "../text/valueText.ts";
import {
  isFirstInLine,
  isFlow,
  lineStart,
  nextLine,
  type Pair,
  pairsOf,
} from "../text/yamlPairs.ts";

/** A pair and the mapping that contains it. */
export interface PairInMap {
  readonly map: Node;
  readonly pair: Pair;
}

/** The pair at `path`, unless it is behind an alias or merged in; the last one of duplicate keys. */
export function findPair(source: YamlSource, path: KeyPath): PairInMap | null {
  let map = source.root;
  let found: PairInMap | null = null;
  for (const key of path) {
    if (map === null) return null;
    const pair: Pair | undefined = pairsOf(source, map).findLast((own) => own.key === key);
    // A value behind an alias is shared with another place.
    if (pair === undefined || source.resolve(map) !== map) return null;
    found = { map, pair };
    map = pair.value;
  }
  return found;
}

/** The pair whose key starts at `offset`. */
export function pairAtOffset(source: YamlSource, offset: number): PairInMap | null {
  let found: PairInMap | null = null;
  if (source.root === null) return null;
  visit(source.root, {
    Map: (_key, map) => {
      const pair = isMap(map)
        ? pairsOf(source, map).find(({ keySpan }) => keySpan.start === offset)
        : undefined;
      if (pair === undefined) return undefined;
      found = { map, pair };
      return visit.BREAK;
    },
  });
  return found;
}

export function renamePair({ language }: YamlSource, { pair }: PairInMap, to: string): TextEdit {
  return { span: pair.keySpan, text: wordText(to, language) };
}

export function removePair(source: YamlSource, { map, pair }: PairInMap): TextEdit {
  const pairs = pairsOf(source, map);
  const index = pairs.findIndex(({ keySpan }) => keySpan.start === pair.keySpan.start);
  const next = pairs[index + 1];
  const before = pairs[index - 1];
  const { text } = source;
  const { start } = pair;
  if (!isFlow(source, map) && isFirstInLine(text, start)) {
    return { span: { start: lineStart(text, start), end: nextLine(text, pair.end) }, text: "" };
  }
  if (next !== undefined) return { span: { start, end: next.start }, text: "" };
  if (before !== undefined && isFlow(source, map)) {
    return { span: { start: before.end, end: pair.end }, text: "" };
  }
  const replacement = isFlow(source, map) ? "" : "{}";
  return { span: { start, end: pair.end }, text: replacement };
}
