/** Sets one value in a configuration's text and keeps everything else, including comments. */

import { CST, isMap, isScalar, isSeq, Lexer, type Node } from "yaml";
import type { Json, JsonObject } from "../../../json.ts";
import { shapeAt } from "../../fields/fields.ts";
import { isSame } from "../../fields/sameValue.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import { entryAt, isEmptyNode } from "../../source/locate.ts";
import type { Span } from "../../source/span.ts";
import { languageOf, readYaml, type YamlSource } from "../../source/yamlSource.ts";
import { applyEdits, overlap, type TextEdit } from "../text/textEdit.ts";
import { type BlockStyle, blockPair, flowText, wordText } from "../text/valueText.ts";
import {
  indentAt,
  isFirstInLine,
  isFlow,
  lineEnd,
  newlineOf,
  nextLine,
  type Pair,
  pairsOf,
  stepOf,
} from "../text/yamlPairs.ts";

/** `path` is the file name, which says whether the text is YAML or JSON. */
export interface EditOptions {
  readonly path?: string;
}

/**
 * The edits that set `path` to `value`, creating missing mappings. Null when the text has syntax errors, the place is behind an alias, or
 * no edit would keep all comments.
 */
export function setValue(
  text: string,
  path: KeyPath,
  value: Json,
  options: EditOptions = {},
): readonly TextEdit[] | null {
  const source = readYaml(text, languageOf(options.path ?? ""));
  if (source.faults.some(({ severity }) => severity === "error")) return null;
  return setValueIn(source, path, value);
}

/** {@link setValue} for text that is already parsed. */
export function setValueIn(
  source: YamlSource,
  path: KeyPath,
  value: Json,
): readonly TextEdit[] | null {
  const edit = editFor(source, path, value);
  if (edit === null || !parsesAfterEdit(source, [edit])) return null;
  return isAsIntended(source, edit, path, value) ? [edit] : null;
}

/** Final check: the edited text has the value and all of its comments. */
function isAsIntended(source: YamlSource, edit: TextEdit, path: KeyPath, value: Json): boolean {
  const text = applyEdits(source.text, [edit]);
  const after = readYaml(text, source.language);
  const node = after.resolve(entryAt(after, path)?.value ?? null);
  if (!isSame(node === null ? null : node.toJSON(), value)) return false;
  const left = commentsOf(text).map((comment) => comment.text);
  return commentsOf(source.text).every((comment) => {
    const at = left.indexOf(comment.text);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function editFor(source: YamlSource, path: KeyPath, value: Json): TextEdit | null {
  if (path.length === 0) return null;
  if (isEmptyNode(source.root)) return intoEmptyText(source, path, value);
  return editBelow({ source, value }, source.root, null, path);
}

interface Change {
  readonly source: YamlSource;
  readonly value: Json;
}

/** `holder` is the pair whose value is `node`; `path` is relative to that value. */
function editBelow(
  change: Change,
  node: Node,
  holder: Pair | null,
  path: KeyPath,
): TextEdit | null {
  if (isSeq<Node>(node)) return editItem(change, node.items, path);
  const { source, value } = change;
  if (!isMap(node)) return intoScalar(source, node, holder, path, value);
  const [key = "", ...rest] = path;
  const pair = pairsOf(source, node).findLast((own) => own.key === key);
  if (pair === undefined) return addPair(source, node, key, nested(rest, value));
  if (rest.length === 0) return replaceValue(source, node, pair, value);
  if (isEmptyNode(pair.value)) return fillPair(source, node, pair, rest, value);
  return editBelow(change, pair.value, pair, rest);
}

function editItem(
  change: Change,
  items: readonly Node[],
  [index, ...rest]: readonly string[],
): TextEdit | null {
  const item = items[Number(index)];
  if (item === undefined) return null;
  if (rest.length > 0) return editBelow(change, item, null, rest);
  const span = change.source.span(item);
  const text = flowText(change.value, change.source.language);
  return span === null ? null : { span, text };
}

function nested(path: KeyPath, value: Json): Json {
  return path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
}

function styleOf(source: YamlSource, indent: string): BlockStyle {
  return {
    language: source.language,
    indent,
    step: stepOf(source),
    newline: newlineOf(source.text),
  };
}

function intoEmptyText(source: YamlSource, path: KeyPath, value: Json): TextEdit | null {
  const { text, language } = source;
  const [key = "", ...rest] = path;
  const end = { start: text.length, end: text.length };
  if (language === "json") {
    return text.trim() === ""
      ? {
          span: { start: 0, end: text.length },
          text: `${flowText(nested(path, value), language)}\n`,
        }
      : null;
  }
  const newline = newlineOf(text);
  const gap = /(^\uFEFF?|\n)$/.test(text) ? "" : newline;
  const lines = blockPair(key, nested(rest, value), styleOf(source, ""));
  return { span: end, text: `${gap}${lines}${newline}` };
}

/** Handles a scalar where a mapping is needed: null is replaced, and a shorthand is expanded to its key. */
function intoScalar(
  source: YamlSource,
  node: Node,
  holder: Pair | null,
  path: KeyPath,
  value: Json,
): TextEdit | null {
  const span = source.span(node);
  if (!isScalar(node) || holder === null || span === null) return null;
  const base = baseOf(node.value, path, holder);
  if (base === null) return null;
  const [key = "", ...rest] = path;
  const map: JsonObject = { ...base, [key]: nested(rest, value) };
  return { span, text: flowText(map, source.language) };
}

function baseOf(value: unknown, path: KeyPath, holder: Pair): JsonObject | null {
  if (value === null) return {};
  const shape = shapeAt([holder.key]);
  const shorthand = shape?.type === "object" ? shape.shorthand : undefined;
  if (typeof value !== "boolean" || shorthand === undefined) return null;
  return path[0] === shorthand ? {} : { [shorthand]: value };
}

function replaceValue(source: YamlSource, map: Node, pair: Pair, value: Json): TextEdit {
  const text = flowText(value, source.language);
  const { colonEnd, keySpan, valueSpan } = pair;
  if (valueSpan === null) return addValue(source, pair, text);
  const isOnKeyLine = !source.text.slice(colonEnd, valueSpan.start).includes("\n");
  const span =
    isOnKeyLine || isFlow(source, map) ? valueSpan : { start: colonEnd, end: valueSpan.end };
  const gap = span.start === colonEnd ? " " : "";
  const comments = commentsIn(source.text, span);
  if (comments.length === 0) return { span, text: `${gap}${text}` };
  // Keep the comments in and before the old value: one after the key, the others on their own lines.
  const indent = indentAt(source.text, keySpan.start) + stepOf(source);
  const end = behindComment(source.text, span.end);
  const rest = source.text.slice(span.end, end).trim();
  const all = [...comments.map((comment) => comment.text), ...(rest === "" ? [] : [rest])];
  const isBehindKey = lineEnd(source.text, keySpan.end) > (comments[0]?.start ?? 0);
  const separator = `${newlineOf(source.text)}${indent}`;
  const lines = [isBehindKey ? `${text} ${all[0]}` : text, ...all.slice(isBehindKey ? 1 : 0)];
  const closing = end < lineEnd(source.text, end) ? separator : "";
  return { span: { start: span.start, end }, text: `${gap}${lines.join(separator)}${closing}` };
}

/** For a key without a value. */
function addValue({ text: whole }: YamlSource, pair: Pair, text: string): TextEdit {
  const { start, colonEnd, keySpan } = pair;
  const hasColon = colonEnd > keySpan.end;
  if (hasColon) return { span: { start: colonEnd, end: colonEnd }, text: ` ${text}` };
  // In `{a, b}` keys have no colon, and a key that starts with `?` may have none either.
  const isMarked = start < keySpan.start;
  const at = isMarked ? lineEnd(whole, colonEnd) : colonEnd;
  const colon = isMarked ? `${newlineOf(whole)}${indentAt(whole, start)}:` : ":";
  return { span: { start: at, end: at }, text: `${colon} ${text}` };
}

/** The end of a comment that follows on the line; `offset` itself without one. */
function behindComment(text: string, offset: number): number {
  const end = lineEnd(text, offset);
  return /^[ \t]+#/.test(text.slice(offset, end)) ? end : offset;
}

function fillPair(source: YamlSource, map: Node, pair: Pair, path: KeyPath, value: Json): TextEdit {
  const inner = nested(path, value);
  if (isFlow(source, map)) return replaceValue(source, map, pair, inner);
  const style = styleOf(source, indentAt(source.text, pair.start));
  const indent = style.indent + style.step;
  const [key = "", ...rest] = path;
  const at = lineEnd(source.text, pair.colonEnd);
  const lines = blockPair(key, nested(rest, value), { ...style, indent });
  return { span: { start: at, end: at }, text: `${style.newline}${indent}${lines}` };
}

function addPair(source: YamlSource, map: Node, key: string, value: Json): TextEdit | null {
  const last = pairsOf(source, map).at(-1);
  if (isFlow(source, map)) return addToFlow(source, map, last, key, value);
  const first = pairsOf(source, map)[0];
  // A mapping with only a `<<` key has no indentation to follow.
  if (last === undefined || first === undefined) return null;
  const style = styleOf(source, indentAt(source.text, first.start));
  const at = endOfBlock(source.text, last.end, style.indent.length);
  const text = `${style.newline}${style.indent}${blockPair(key, value, style)}`;
  return { span: { start: at, end: at }, text };
}

/** After the comment on the line, and after comment lines below that are indented more than the mapping. */
function endOfBlock(text: string, offset: number, indent: number): number {
  let end = lineEnd(text, offset);
  for (;;) {
    const start = nextLine(text, end);
    if (start >= text.length) return end;
    const line = text.slice(start, lineEnd(text, start));
    const lead = line.length - line.trimStart().length;
    if (!line.trimStart().startsWith("#") || lead <= indent) return end;
    end = lineEnd(text, start);
  }
}

function addToFlow(
  source: YamlSource,
  map: Node,
  last: Pair | undefined,
  key: string,
  value: Json,
): TextEdit | null {
  const { text, language } = source;
  const pairText = `${wordText(key, language)}: ${flowText(value, language)}`;
  const span = source.span(map);
  if (span === null) return null;
  if (last === undefined) {
    const isBlank = commentsIn(text, span).length === 0;
    const start = isBlank ? span.start + 1 : span.end - 1;
    return { span: { start, end: span.end - 1 }, text: `${isBlank ? " " : ""}${pairText} ` };
  }
  const end = lineEnd(text, last.end);
  const [rest = "", comma, comment] = /^(,?)[ \t]*(#.*)?$/.exec(text.slice(last.end, end)) ?? [];
  const indent = `${newlineOf(text)}${indentAt(text, last.start)}`;
  if (comment !== undefined) {
    // Insert after the last pair's comment, so that it stays with its pair.
    const behind = comma === "" ? `,${rest}` : rest;
    return { span: { start: last.end, end }, text: `${behind}${indent}${pairText}${comma}` };
  }
  const at = { start: last.end, end: last.end };
  if (!isFirstInLine(text, last.start)) return { span: at, text: `, ${pairText}` };
  return { span: at, text: `,${indent}${pairText}` };
}

interface Comment {
  readonly start: number;
  /** Including `#`, without surrounding white space. */
  readonly text: string;
}

/** In order. The text must have been parsed before. */
function commentsOf(text: string): readonly Comment[] {
  const comments: Comment[] = [];
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const type = CST.tokenType(lexeme);
    if (type === "comment") comments.push({ start: offset, text: lexeme.trimEnd() });
    // The lexer marks documents and scalars with characters that are not in the text.
    if (type !== "doc-mode" && type !== "flow-error-end" && type !== "scalar")
      offset += lexeme.length;
  }
  return comments;
}

export function commentsIn(text: string, { start, end }: Span): readonly Comment[] {
  return commentsOf(text).filter((comment) => comment.start >= start && comment.start < end);
}

/** True when the edits do not overlap and add no syntax error. */
export function parsesAfterEdit(source: YamlSource, edits: readonly TextEdit[]): boolean {
  return !overlap(edits) && syntaxErrorsAfter(source, edits) <= syntaxErrors(source);
}

/** Number of syntax errors with the edits, which must not overlap. */
export function syntaxErrorsAfter(source: YamlSource, edits: readonly TextEdit[]): number {
  return syntaxErrors(readYaml(applyEdits(source.text, edits), source.language));
}

/** Number of syntax errors, without warnings. */
export function syntaxErrors(source: YamlSource): number {
  return source.faults.filter(({ severity }) => severity === "error").length;
}
