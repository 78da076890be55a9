/** Turns remedies into edits of the text that has the problem. */

import { isMap } from "yaml";
import type { Json } from "../../../json.ts";
import { coerce } from "../../fields/coerce.ts";
import { shapeAt } from "../../fields/fields.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import type { RemedyAction } from "../../source/remedy.ts";
import { strayCharacters } from "../../source/strayCharacters.ts";
import { readYaml, type YamlSource } from "../../source/yamlSource.ts";
import { DEMO } from "../completion/templates.ts";
import {
  findPair,
  type PairInMap,
  pairAtOffset,
  removePair,
  renamePair,
} from "../edits/pairEdits.ts";
import { commentsIn, parsesAfterEdit, setValueIn } from "../edits/setValue.ts";
import { applyEdits, editBetween, overlap, type TextEdit } from "../text/textEdit.ts";
import {
  indentAt,
  isFirstInLine,
  lineEnd,
  lineStart,
  newlineOf,
  nextLine,
  stepOf,
} from "../text/yamlPairs.ts";
import { alignLine } from "./alignEdits.ts";
import { asMapping, takeOutOfList } from "./reshapeEdits.ts";

/** Stop if replaced characters keep uncovering new ones; such a text is no configuration. */
const MAX_ROUNDS = 10;

/** Null when the remedy cannot be applied to this text; empty for a command that only the editor can run. */
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
    case "remove":
      return remove(source, remedy.path);
    case "removePairAt": {
      const place = pairAtOffset(source, remedy.offset);
      return place === null ? null : removeAlone(source, place);
    }
    case "swap":
      return swap(source, remedy.path, remedy.other);
    case "toMapping":
      return asMapping(source, remedy.path);
    case "takeOutOfList":
      return takeOutOfList(source, remedy.path);
    case "align":
      return alignLine(source, remedy.offset);
    case "replaceStrays":
      return replaceStrays(source);
    case "indent":
      return indentPairs(source, remedy.path, remedy.end);
    case "space":
      return [{ span: { start: remedy.offset, end: remedy.offset }, text: " " }];
    case "spaces":
      return spacesForTabs(source.text);
    case "insertDemo":
      return insertDemo(source);
    case "command":
      return [];
  }
}

function insertDemo({ text, language }: YamlSource): readonly TextEdit[] | null {
  if (language === "json") return null;
  const end = { start: text.length, end: text.length };
  const isAtLineStart = text === "" || text.endsWith("\n");
  return [{ span: end, text: `${isAtLineStart ? "" : newlineOf(text)}${DEMO}` }];
}

function rewrite(source: YamlSource, path: KeyPath, text: string): readonly TextEdit[] | null {
  const isItem = shapeAt(path.slice(0, -1))?.type === "list";
  if (isItem) return setValueIn(source, path, Number(text));
  const span = findPair(source, path)?.pair.valueSpan ?? null;
  return span === null ? null : [{ span, text }];
}

/** Removing a mapping's only pair leaves `{}`, because null can have another meaning. */
function remove(source: YamlSource, path: KeyPath): readonly TextEdit[] | null {
  const place = findPair(source, path);
  if (place === null) return null;
  const { map } = place;
  const isOnly = path.length > 1 && isMap(map) && map.flow !== true && map.items.length === 1;
  return isOnly ? setValueIn(source, path.slice(0, -1), {}) : removeAlone(source, place);
}

/** Null when that would also delete a comment that is not about the pair. */
function removeAlone(source: YamlSource, place: PairInMap): readonly TextEdit[] | null {
  const edit = removePair(source, place);
  const { start, end } = place.pair;
  const isOwn = (comment: { readonly start: number }): boolean =>
    comment.start >= start && comment.start < lineEnd(source.text, end);
  return commentsIn(source.text, edit.span).every(isOwn) ? [edit] : null;
}

function move(source: YamlSource, path: KeyPath, to: KeyPath): readonly TextEdit[] | null {
  const place = findPair(source, path);
  const removal = remove(source, path);
  if (place === null || removal === null) return null;
  // `coerce` returns JSON for parsed text.
  const value = coerce(source, place.pair.value, shapeAt(to)) as Json;
  const removed = applyEdits(source.text, removal);
  // One at a time, because both edits may touch the end of the same mapping.
  const rest = readYaml(removed, source.language);
  const set = setValueIn(rest, to, value);
  return set === null ? null : [editBetween(source.text, applyEdits(removed, set))];
}

function swap(source: YamlSource, path: KeyPath, other: KeyPath): readonly TextEdit[] | null {
  const one = findPair(source, path)?.pair.valueSpan ?? null;
  const two = findPair(source, other)?.pair.valueSpan ?? null;
  if (one === null || two === null) return null;
  return [
    { span: one, text: source.text.slice(two.start, two.end) },
    { span: two, text: source.text.slice(one.start, one.end) },
  ];
}

/** Repeats while replaced characters uncover others. */
function replaceStrays({ text, language }: YamlSource): readonly TextEdit[] {
  let after = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const strays = strayCharacters(after, language, readYaml(after, language).root);
    const edits = strays.map(({ span, meant }) => ({ span, text: meant ?? "" }));
    if (edits.length === 0 || overlap(edits)) break;
    after = applyEdits(after, edits);
  }
  return [editBetween(text, after)];
}

/** Indents the lines from the pair at `path` up to the one at `end` by one level. */
function indentPairs(
  source: YamlSource,
  path: KeyPath,
  end: KeyPath | null,
): readonly TextEdit[] | null {
  const first = findPair(source, path)?.pair;
  const next = end === null ? undefined : findPair(source, end)?.pair;
  if (first === undefined || !isFirstInLine(source.text, first.start)) return null;
  const { text } = source;
  const own = indentAt(text, first.start).length;
  const stop = next === undefined ? text.length : lineStart(text, next.start);
  const edits: TextEdit[] = [];
  for (let at = lineStart(text, first.start); at < stop; at = nextLine(text, at)) {
    const line = text.slice(at, lineEnd(text, at));
    const lead = line.length - line.trimStart().length;
    if (line.trim() !== "" && lead < own) break;
    if (line.trim() !== "") edits.push({ span: { start: at, end: at }, text: stepOf(source) });
  }
  return edits;
}

function spacesForTabs(text: string): readonly TextEdit[] {
  return [...text.matchAll(/^[ \t]*\t[ \t]*/gm)].map((match) => ({
    span: { start: match.index, end: match.index + match[0].length },
    text: match[0].replaceAll("\t", "  "),
  }));
}
