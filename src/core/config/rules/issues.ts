/** Turns schema errors into sentences for the author of the file. */

import type * as z from "zod";
import { nearestWords } from "../../../shared/editDistance.ts";
import { isJsonObject } from "../../json.ts";
import type { Field, NumberShape, Shape } from "../fields/field.ts";
import { configShape, shapeAt } from "../fields/fields.ts";
import { conflict, type Finding } from "../source/finding.ts";
import { isWithin, type KeyPath } from "../source/keyPath.ts";
import { changeTo, preferFirst, preferred, type Remedy, setTo } from "../source/remedy.ts";
import { describeValue, expectationOf } from "./expectation.ts";
import { unindentedEnvironmentKeys, unindentedKeys } from "./unindentedKeys.ts";
import { misplacedFields, unknownKey } from "./unknownKeys.ts";

/** A value such as `16 steps`. */
const NUMBER_AND_WORD = /^([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?) +([a-z]+)$/i;
/** A longer menu would not help. */
const MAX_OFFERED = 5;
/** More findings would not help. */
const MAX_FINDINGS = 200;

/** Findings for the schema issues with `values`, one per unknown key. */
export function findingsOf(
  issues: readonly z.core.$ZodIssue[],
  values: unknown,
): readonly Finding[] {
  const besideEmpty = unindentedEnvironmentKeys(values);
  const misplaced = misplacedFields(
    values,
    besideEmpty.flatMap(({ keys }) => keys),
  );
  const unknown: Finding[] = [...besideEmpty.map(({ finding }) => finding), ...misplaced];
  const others: Finding[] = [];
  /** Keys that look empty because their children are not indented, and the children that are mistaken for siblings. */
  const emptied: KeyPath[] = [
    ...besideEmpty.flatMap(({ below, keys }) => [
      below,
      ...keys.map((key) => ["environments", key]),
    ]),
    ...misplaced.map(({ path }) => path),
  ];
  for (const issue of issues) {
    if (unknown.length + others.length >= MAX_FINDINGS) break;
    const path = issue.path.map(String);
    if (issue.code !== "unrecognized_keys") {
      others.push(findingAbout(path, values));
      continue;
    }
    const parent = shapeAt(path);
    const siblings = valueAt(values, path);
    if (emptied.some((below) => isWithin(path, below))) continue;
    const unindented = unindentedKeys(path, issue.keys, siblings, parent);
    emptied.push(...unindented.map(({ below }) => below));
    unknown.push(...unindented.map(({ finding }) => finding));
    const explained = new Set(unindented.flatMap(({ keys }) => keys));
    for (const key of issue.keys.slice(0, MAX_FINDINGS)) {
      if (!explained.has(key)) unknown.push(unknownKey([...path, key], siblings, parent));
    }
  }
  const meant = unknown.flatMap(({ path, remedies = [] }) =>
    remedies.flatMap((remedy) => {
      if (remedy.kind === "move") return [JSON.stringify(remedy.to)];
      return remedy.kind === "rename" ? [JSON.stringify([...path.slice(0, -1), remedy.to])] : [];
    }),
  );
  // A misspelled or misplaced required key is one fault, not two.
  const isExplained = ({ path, code }: Finding): boolean =>
    (code === "TRL111" && meant.includes(JSON.stringify(path))) ||
    emptied.some((below) => isWithin(path, below));
  return [...others.filter((finding) => !isExplained(finding)), ...unknown];
}

/** The value at `path`, or undefined. */
export function valueAt(values: unknown, path: KeyPath): unknown {
  let value = values;
  for (const key of path) {
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function findingAbout(path: KeyPath, values: unknown): Finding {
  const shape = shapeAt(path) ?? configShape;
  const value = valueAt(values, path);
  return value === undefined ? missingKey(path, shape) : invalidValue(path, value, shape);
}

function missingKey(path: KeyPath, shape: Shape & Partial<Field>): Finding {
  const key = path.at(-1) ?? "";
  const message = `\`${key}\` is missing. Add it as ${expectationOf(shape)}.`;
  const example = shape.examples?.[0];
  const written = isJsonObject(example)
    ? ""
    : `: ${JSON.stringify(example ?? null).replace(/^"|"$/g, "")}`;
  const remedies: readonly Remedy[] =
    example === undefined
      ? []
      : [
          {
            kind: "set",
            path,
            value: example,
            title: `Add ${key}${written}`,
            isPreferred: true,
          },
        ];
  return conflict("TRL111", path, message, { part: "key", remedies });
}

function invalidValue(path: KeyPath, value: unknown, shape: Shape): Finding {
  const sentence = `Expected ${expectationOf(shape)}, got ${describeValue(value, shape)}.`;
  const near =
    typeof value === "string" && shape.type === "enum" ? nearestWords(value, shape.values) : [];
  const message = `${sentence}${hintFor(value, shape, near)}`;
  const code = codeFor(value, shape);
  const remedies = remediesFor(path, value, shape, near);
  return conflict(code, path, message, { remedies });
}

function codeFor(value: unknown, shape: Shape): "TRL120" | "TRL121" | "TRL122" {
  if (isNumberShape(shape)) return typeof value === "number" ? "TRL121" : "TRL120";
  if (shape.type === "enum") return typeof value === "string" ? "TRL122" : "TRL120";
  const isEmptyCollection = shape.type === "list" ? Array.isArray(value) : isJsonObject(value);
  return isEmptyCollection ? "TRL121" : "TRL120";
}

function hintFor(value: unknown, shape: Shape, near: readonly string[]): string {
  if (typeof value !== "string") return "";
  if (near[0] !== undefined) return ` Did you mean \`${near[0]}\`?`;
  if (!isNumberShape(shape) || !SEXAGESIMAL.test(value)) return "";
  const meant = meantNumber(value, shape);
  const advice = meant === null ? "" : `; write ${meant}`;
  return ` Base-60 numbers such as 1:30 are not supported${advice}.`;
}

const SEXAGESIMAL = /^\d+(:\d+)+$/;

/** The number that a text expresses in the field's unit; null when unclear. */
function meantNumber(value: string, { unit = "" }: NumberShape): number | null {
  if (SEXAGESIMAL.test(value)) {
    const pieces = value.split(":").map(Number);
    return unit === "seconds" ? pieces.reduce((sum, piece) => sum * 60 + piece, 0) : null;
  }
  const [, number, word = ""] = NUMBER_AND_WORD.exec(value) ?? [];
  const isOwnUnit = [unit, unit.replace(/s$/, "")].includes(word);
  return number === undefined || !isOwnUnit ? null : Number(number);
}

function isNumberShape(shape: Shape): shape is NumberShape {
  return shape.type === "integer" || shape.type === "number";
}

function remediesFor(
  path: KeyPath,
  value: unknown,
  shape: Shape,
  near: readonly string[],
): readonly Remedy[] {
  if (near.length > 0) return preferFirst(near.map((word) => changeTo(path, word)));
  const isCollection = shape.type === "map" || shape.type === "object";
  if (isCollection && (Array.isArray(value) || (typeof value === "string" && value !== ""))) {
    return [{ kind: "toMapping", path, title: "Write as a mapping", isPreferred: true }];
  }
  if (Array.isArray(value) && shape.type !== "list") {
    const title = "Take the value out of the list";
    return [{ kind: "takeOutOfList", path, title, isPreferred: true }];
  }
  if (isNumberShape(shape)) return numberRemedies(path, value, shape);
  if (shape.type === "boolean") return booleanRemedies(path, value);
  if (shape.type === "enum" && shape.values.length <= MAX_OFFERED) {
    return shape.values.map((word) => changeTo(path, word));
  }
  return shape.type === "list" && isScalarFor(value, shape.of) ? listRemedies(path, value) : [];
}

function listRemedies(path: KeyPath, value: string | number): readonly Remedy[] {
  const isCommand = path.at(-1)?.endsWith("command") ?? false;
  const items = isCommand ? wordsOf(String(value)) : [value];
  if (items === null) return [];
  return [{ kind: "set", path, value: items, title: "Wrap in a list", isPreferred: true }];
}

/** The words of a command line; null if it needs a shell to split them. */
function wordsOf(command: string): readonly string[] | null {
  return /["'`\\$|&;<>*?]/.test(command) ? null : command.trim().split(/\s+/);
}

/** Offered for 0, 1, and words similar to `true` or `false`. */
function booleanRemedies(path: KeyPath, value: unknown): readonly Remedy[] {
  const [word = ""] = nearestWords(String(value), ["true", "false"]);
  const meant =
    value === 1 || word === "true" ? true : value === 0 || word === "false" ? false : null;
  return meant === null ? [] : [preferred(setTo(path, meant))];
}

function isScalarFor(value: unknown, shape: Shape): value is string | number {
  return shape.type === "string" ? typeof value === "string" : typeof value === "number";
}

function numberRemedies(path: KeyPath, value: unknown, shape: NumberShape): readonly Remedy[] {
  const set = (number: number, note: string): readonly Remedy[] => [
    preferred(setTo(path, number, `Set to ${number}${note}`)),
  ];
  if (typeof value === "string") {
    const meant = meantNumber(value, shape);
    return meant === null ? [] : set(meant, "");
  }
  if (typeof value !== "number" || !Number.isFinite(value)) return [];
  if (shape.min !== undefined && value < shape.min) return set(shape.min, " (minimum)");
  if (shape.max !== undefined && value > shape.max) return set(shape.max, " (maximum)");
  if (shape.type === "integer" && !Number.isInteger(value)) return set(Math.round(value), "");
  return [];
}
