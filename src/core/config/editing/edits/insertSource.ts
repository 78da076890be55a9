/** Adds a demonstration source to a configuration's text. */

import { isSeq, type Node } from "yaml";
import type { JsonObject } from "../../../json.ts";
import { isSame } from "../../fields/sameValue.ts";
import { entryAt, isEmptyNode } from "../../source/locate.ts";
import { languageOf, readYaml, type YamlSource } from "../../source/yamlSource.ts";
import { applyEdits, editBetween, type TextEdit } from "../text/textEdit.ts";
import { flowText } from "../text/valueText.ts";
import { indentAt, isFirstInLine, lineEnd, newlineOf } from "../text/yamlPairs.ts";
import { type EditOptions, parsesAfterEdit, setValueIn } from "./setValue.ts";

/**
 * The edits that append `entry` to `data` and set `method: sft`. Null when that is not possible, and for a text with stages, where each
 * stage has its own method.
 */
export function insertSource(
  text: string,
  entry: JsonObject,
  { path = "" }: EditOptions = {},
): readonly TextEdit[] | null {
  const language = languageOf(path);
  const source = readYaml(text, language);
  if (source.faults.some(({ severity }) => severity === "error")) return null;
  const isStaged = !isEmptyNode(entryAt(source, ["stages"])?.value ?? null);
  const added = isStaged ? null : appended(source, entry);
  if (added === null) return null;
  const withData = readYaml(applyEdits(text, added), language);
  const method = withData.resolve(entryAt(withData, ["method"])?.value ?? null);
  const set = method?.toJSON() === "sft" ? [] : setValueIn(withData, ["method"], "sft");
  return set === null ? null : [editBetween(text, applyEdits(withData.text, set))];
}

function appended(source: YamlSource, entry: JsonObject): readonly TextEdit[] | null {
  const data = entryAt(source, ["data"])?.value ?? null;
  if (isEmptyNode(data) || !isSeq<Node>(data) || data.items.length === 0) {
    // Anything but an empty list is a mistake that the user should see first.
    const isFree = isEmptyNode(data) || (isSeq(data) && data.items.length === 0);
    return isFree ? setValueIn(source, ["data"], [entry]) : null;
  }
  const before: unknown = data.toJSON();
  const edit = behindLast(source, data.items, data.flow === true, entry);
  if (edit === null || !Array.isArray(before) || !parsesAfterEdit(source, [edit])) return null;
  const after = readYaml(applyEdits(source.text, [edit]), source.language);
  const now: unknown = after.resolve(entryAt(after, ["data"])?.value ?? null)?.toJSON();
  return isSame(now, [...before, entry]) ? [edit] : null;
}

function behindLast(
  source: YamlSource,
  items: readonly Node[],
  isFlow: boolean,
  entry: JsonObject,
): TextEdit | null {
  const { text, language } = source;
  const last = items.at(-1);
  const span = last === undefined ? null : source.span(last);
  if (span === null) return null;
  const value = flowText(entry, language);
  if (isFlow) {
    const gap = isFirstInLine(text, span.start)
      ? `${newlineOf(text)}${indentAt(text, span.start)}`
      : " ";
    return { span: { start: span.end, end: span.end }, text: `,${gap}${value}` };
  }
  const dash = text.lastIndexOf("-", span.start);
  const at = lineEnd(text, span.end);
  const indent = indentAt(text, dash);
  return { span: { start: at, end: at }, text: `${newlineOf(text)}${indent}- ${value}` };
}
