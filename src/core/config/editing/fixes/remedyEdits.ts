/** Remedies as edits of the text in which the problem stands. */

import type { Json } from "../../../json.ts";
import { coerce } from "../../fields/coerce.ts";
import { shapeAt } from "../../fields/fields.ts";
import type { RemedyAction } from "../../source/remedy.ts";
import { readYaml, type YamlSource } from "../../source/yamlSource.ts";
import { findPair, pairAtOffset, removePair, renamePair } from "../edits/pairEdits.ts";
import { parsesAfterEdit } from "../edits/parsesAfterEdit.ts";
import { setValueIn } from "../edits/setValue.ts";
import { applyEdits, editBetween, type TextEdit } from "../text/textEdit.ts";
import { alignLine } from "./alignEdits.ts";
import { asMapping, takeOutOfList } from "./reshapeEdits.ts";

/** Null when the remedy has no place in this text; empty for what an editor alone can do. */
export function remedyEdits(source: YamlSource, remedy: RemedyAction): readonly TextEdit[] | null {
  const edits = editsFor(source, remedy);
  return edits !== null && parsesAfterEdit(source, edits) ? edits : null;
}

function editsFor(source: YamlSource, remedy: RemedyAction): readonly TextEdit[] | null {
  switch (remedy.kind) {
    case "set":
      return setValueIn(source, remedy.path, remedy.value);
    case "rewrite":
      return rewrite(source, remedy.path, remedy.text);
    case "rename": {
      const place = findPair(source, remedy.path);
      return place === null ? null : [renamePair(source, place, remedy.to)];
    }
    case "move":
      return move(source, remedy.path, remedy.to);
    case "remove": {
      const place = findPair(source, remedy.path);
      return place === null ? null : [removePair(source, place)];
    }
    case "removePairAt": {
      const place = pairAtOffset(source, remedy.offset);
      return place === null ? null : [removePair(source, place)];
    }
    case "swap":
      return swap(source, remedy.path, remedy.other);
    case "toMapping":
      return asMapping(source, remedy.path);
    case "takeOutOfList":
      return takeOutOfList(source, remedy.path);
    case "align":
      return alignLine(source, remedy.offset);
    case "spaces":
      return spacesForTabs(source.text);
    case "command":
      return [];
  }
}

function rewrite(
  source: YamlSource,
  path: readonly string[],
  text: string,
): readonly TextEdit[] | null {
  const isItem = shapeAt(path.slice(0, -1))?.type === "list";
  if (isItem) return setValueIn(source, path, Number(text));
  const span = findPair(source, path)?.pair.valueSpan ?? null;
  return span === null ? null : [{ span, text }];
}

function move(
  source: YamlSource,
  path: readonly string[],
  to: readonly string[],
): readonly TextEdit[] | null {
  const place = findPair(source, path);
  if (place === null) return null;
  // What `coerce` makes of a parsed text is JSON.
  const value = coerce(source, place.pair.value, shapeAt(to)) as Json;
  const removed = applyEdits(source.text, [removePair(source, place)]);
  // One after the other: both may touch the end of the same mapping.
  const rest = readYaml(removed, source.language);
  const set = setValueIn(rest, to, value);
  return set === null ? null : [editBetween(source.text, applyEdits(removed, set))];
}

function swap(
  source: YamlSource,
  path: readonly string[],
  other: readonly string[],
): readonly TextEdit[] | null {
  const one = findPair(source, path)?.pair.valueSpan ?? null;
  const two = findPair(source, other)?.pair.valueSpan ?? null;
  if (one === null || two === null) return null;
  return [
    { span: one, text: source.text.slice(two.start, two.end) },
    { span: two, text: source.text.slice(one.start, one.end) },
  ];
}

function spacesForTabs(text: string): readonly TextEdit[] {
  return [...text.matchAll(/^[ \t]*\t[ \t]*/gm)].map((match) => ({
    span: { start: match.index, end: match.index + match[0].length },
    text: match[0].replaceAll("\t", "  "),
  }));
}
