/** Describes in words what a field accepts and what was found instead. */

import type { ListShape, MapShape, NumberShape, Shape } from "../fields/field.ts";
import { hasKeyShape } from "./secretRules.ts";

const MAX_SHOWN = 100;

/** For example `a number > 0 (seconds), or null`. */
export function expectationOf(shape: Shape): string {
  const text = expectationOfValue(shape);
  return shape.nullable === true ? `${text}, or null` : text;
}

type Mark = (word: string) => string;

/** For example `integer >= 1 (steps) or null`. `mark` formats words that are written literally in a file. */
export function typeText(shape: Shape, mark: Mark = (word) => word): string {
  const text = typeOfValue(shape, mark);
  return shape.nullable === true ? `${text} or null` : text;
}

/** Bounds of a number such as `>= 0 and < 1`; empty without bounds. */
function rangeOf(shape: NumberShape): string {
  const bounds = [
    [">=", shape.min],
    [">", shape.above],
    ["<=", shape.max],
    ["<", shape.below],
  ] as const;
  return bounds
    .flatMap(([sign, bound]) => (bound === undefined ? [] : [`${sign} ${bound}`]))
    .join(" and ");
}

/**
 * Describes the value found where `shape` was expected. Hides text that may be a secret: in place of a collection, or shaped like a key.
 */
export function describeValue(value: unknown, shape: Shape): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object" && value !== null) {
    return Object.keys(value).length === 0 ? "an empty mapping" : "a mapping";
  }
  const isCollection = shape.type === "map" || shape.type === "list" || shape.type === "object";
  if (typeof value !== "string") return String(value);
  if (isCollection || hasKeyShape(value)) return "text";
  const shown = value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value;
  return `the text ${JSON.stringify(shown)}`;
}

function expectationOfValue(shape: Shape): string {
  switch (shape.type) {
    case "string":
      return shape.patternMeaning ?? "text";
    case "integer":
    case "number":
      return expectationOfNumber(shape);
    case "boolean":
      return "true or false";
    case "enum":
      return `one of ${shape.values.map((value) => `\`${value}\``).join(", ")}${shape.orNumber === true ? ", or a number" : ""}`;
    case "list":
      return expectationOfList(shape);
    case "map":
      return expectationOfMap(shape);
    case "object":
      return shape.shorthand === undefined ? "a mapping" : "true, false or a mapping";
  }
}

function expectationOfNumber(shape: NumberShape): string {
  const noun = shape.type === "integer" ? "an integer" : "a number";
  const unit = shape.unit === undefined ? "" : ` (${shape.unit})`;
  const range = rangeOf(shape);
  return range === "" ? `${noun}${unit}` : `${noun} ${range}${unit}`;
}

function expectationOfList(shape: ListShape): string {
  return shape.minItems === undefined ? "a list" : `a list of ${shape.minItems} or more`;
}

function expectationOfMap(shape: MapShape): string {
  const count = shape.minEntries === undefined ? "" : ` with ${shape.minEntries} or more`;
  return `a mapping by ${shape.keyName}${count}`;
}

function typeOfValue(shape: Shape, mark: Mark): string {
  switch (shape.type) {
    case "string":
      return "text";
    case "integer":
    case "number":
      return [shape.type, rangeOf(shape), shape.unit === undefined ? "" : `(${shape.unit})`]
        .filter((part) => part !== "")
        .join(" ");
    case "boolean":
      return "true or false";
    case "enum":
      return [...shape.values.map(mark), ...(shape.orNumber === true ? ["number"] : [])].join(", ");
    case "list":
      return `list of ${typeText(shape.of, mark)}`;
    case "map":
      return `mapping by ${shape.keyName} (${typeText(shape.of, mark)})`;
    case "object":
      return shape.shorthand === undefined ? "mapping" : "true, false or a mapping";
  }
}
