/** Converts YAML nodes to plain values of the field's type. Reports no errors: a value that does not fit stays as it is. */

import { isMap, isScalar, isSeq, type Node, type Scalar } from "yaml";
import { scalarText } from "../source/yamlNodes.ts";
import type { YamlSource } from "../source/yamlSource.ts";
import type { ObjectShape, Shape } from "./field.ts";
import { childShape } from "./fields.ts";

/** Text that counts as a number in a number field. */
export const NUMBER_TEXT = /^[-+]?(\d+(_\d+)*(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;
const TRUE_WORDS: ReadonlySet<string> = new Set(["true", "yes", "on"]);
const FALSE_WORDS: ReadonlySet<string> = new Set(["false", "no", "off"]);

/**
 * Reads a node as `shape`. YAML 1.1 parsers disagree with this one on scalars such as `1e-5`, `yes` and `007`, so the field's type
 * decides instead of the value's look: number-like text is a number in a number field, `yes/no/on/off` a boolean in a boolean field, and
 * everything but null is text in a text field.
 */
export function coerce(source: YamlSource, node: Node | null, shape: Shape | undefined): unknown {
  const value = source.resolve(node);
  if (isMap(value)) return coerceMap(source, value, shape);
  if (isSeq<Node>(value)) {
    if (!source.mayVisit(value.items.length, value)) return [];
    return value.items.map((item) =>
      shape?.type === "list" ? coerce(source, item, shape.of) : null,
    );
  }
  return isScalar(value) ? coerceScalar(value, shape) : coerceNull(shape);
}

function coerceMap(source: YamlSource, node: Node, shape: Shape | undefined): unknown {
  const isKnown = shape?.type === "map" || shape?.type === "object";
  const all = source.entries(node);
  const entries = shape?.type === "object" ? all.filter(({ key }) => !isOwnKey(key)) : all;
  if (!source.mayVisit(entries.length, node)) return {};
  const values = entries.map(({ key, value }) => {
    // Values of unknown shape are not read, so aliases cannot explode or recurse.
    return [key, isKnown ? coerce(source, value, childShape(shape, key)) : null] as const;
  });
  return Object.fromEntries(values);
}

/** A key of the user's own, such as `x-defaults`, for anchors and notes as in Docker Compose. */
function isOwnKey(key: string): boolean {
  return key.startsWith("x-");
}

function coerceScalar(node: Scalar, shape: Shape | undefined): unknown {
  if (node.value === null) return coerceNull(shape);
  const text = scalarText(node.value, node.source);
  switch (shape?.type) {
    case "string":
    case "enum":
      return text;
    case "integer":
    case "number":
      return typeof node.value === "string" ? numberFrom(text) : node.value;
    case "boolean":
      return booleanFrom(text, node.value);
    case "object":
      return shape.shorthand === undefined ? node.value : booleanFrom(text, node.value);
    default:
      return node.value;
  }
}

/** `key:` without a value is an empty mapping where one is expected and null is not allowed. */
function coerceNull(shape: Shape | undefined): unknown {
  if (shape === undefined || shape.nullable === true) return null;
  return shape.type === "map" || isPlainObject(shape) ? {} : null;
}

function isPlainObject(shape: Shape): shape is ObjectShape {
  return shape.type === "object" && shape.shorthand === undefined;
}

function numberFrom(text: string): number | string {
  return NUMBER_TEXT.test(text) ? Number(text.replaceAll("_", "")) : text;
}

/** The boolean that a word means in a boolean field; `value` if it means none. */
export function booleanFrom(text: string, value: unknown): unknown {
  const word = text.toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : value;
}
