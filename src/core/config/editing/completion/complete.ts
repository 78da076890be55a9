/** Completions for a position in a configuration, even a half-written one. */

import type { MapShape, ObjectShape, Shape } from "../../fields/field.ts";
import { shapeAt } from "../../fields/fields.ts";
import { isLocalModel } from "../../fields/presets.ts";
import { isSame } from "../../fields/sameValue.ts";
import { type KeyPath, withoutStage } from "../../source/keyPath.ts";
import { languageOf } from "../../source/yamlSource.ts";
import { type Catalogue, EMPTY_CATALOGUE } from "../catalogue/catalogue.ts";
import { type Cursor, cursorAt } from "../text/cursor.ts";
import { completeKeys } from "./completeKeys.ts";
import { completeValues } from "./completeValues.ts";
import type { Completion, CompletionContext } from "./completion.ts";
import { fileSnippets } from "./templates.ts";

export interface CompleteOptions {
  /** File name; its extension says whether it is YAML or JSON. */
  readonly path: string;
  readonly catalogue?: Catalogue;
}

/** Never throws; empty where nothing fits. */
export function complete(
  text: string,
  offset: number,
  { path, catalogue = EMPTY_CATALOGUE }: CompleteOptions,
): readonly Completion[] {
  const language = languageOf(path);
  const cursor = cursorAt(text, offset, language);
  if (cursor === null) return [];
  const inner = withoutStage(cursor.path);
  const stage = cursor.path.slice(0, cursor.path.length - inner.length);
  const valueIn = (place: KeyPath, key: string): string | null =>
    cursor.keys.find((mark) => mark.key === key && isSame(mark.path, place))?.value ?? null;
  const writtenValue = (key: string): string | null => valueIn(stage, key) ?? valueIn([], key);
  const context: CompletionContext = {
    cursor,
    path: inner,
    language,
    catalogue,
    kind: isLocalModel(writtenValue("model_name") ?? "") ? "local" : "hosted",
    fileName: path.replace(/^.*[/\\]/, "").replace(/\.[^.]*$/, ""),
    writtenValue,
  };
  const shape = shapeAt(cursor.path);
  return shape === undefined ? [] : completeAs(context, shape);
}

function completeAs(context: CompletionContext, shape: Shape): readonly Completion[] {
  const { cursor, language } = context;
  // A value may follow on the line after its key, where a mapping would have a key.
  const isKey = cursor.kind === "key" || isBegunItem(cursor);
  // Enter right after the colon starts a block; a completion offered here would be accepted instead.
  if (!isKey && cursor.needsSpace && (isMapping(shape) || shape.type === "list")) return [];
  if (!isKey || !isMapping(shape)) return completeValues(context, shape);
  const keys = completeKeys(context, shape);
  const isBlank = language === "yaml" && cursor.path.length === 0 && isFirstKey(cursor);
  return isBlank ? [...fileSnippets(cursor.replace), ...keys] : keys;
}

/** After a dash, a mapping starts with its first key. */
function isBegunItem({ isFlow, path }: Cursor): boolean {
  return !isFlow && shapeAt(path.slice(0, -1))?.type === "list";
}

function isMapping(shape: Shape): shape is ObjectShape | MapShape {
  return shape.type === "object" || shape.type === "map";
}

function isFirstKey({ keys, isFlow, present }: Cursor): boolean {
  return !isFlow && keys.length === 0 && present.length === 0;
}
