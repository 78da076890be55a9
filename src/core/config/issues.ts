/** The faults that a schema found, as sentences for the person who writes the file. */

import type { z } from "zod";
import { isJsonObject } from "../json.ts";
import { nearestWord } from "../util/editDistance.ts";
import { describeValue, expectationOf } from "./expectation.ts";
import type { Shape } from "./field.ts";
import { configShape, fieldOf, fieldSections, shapeAt } from "./fields.ts";
import type { Problem } from "./problem.ts";

/** A problem before its place in the text is known. */
export type Finding = Omit<Problem, "at"> & {
  /** Which side of `key: value` is at fault. */
  readonly part: "key" | "value";
};

/** Findings for the schema's issues with `values`; one finding per unknown key. */
export function findingsOf(
  issues: readonly z.core.$ZodIssue[],
  values: unknown,
): readonly Finding[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code !== "unrecognized_keys") return [findingAbout(path, values)];
    return issue.keys.map((key) => unknownKey([...path, key], key, shapeAt(path)));
  });
}

function findingAbout(path: readonly string[], values: unknown): Finding {
  const shape = shapeAt(path) ?? configShape;
  const value = valueAt(values, path);
  if (value !== undefined) return invalidValue(path, value, shape);
  const message = `\`${path.at(-1)}\` is missing. Add it: ${expectationOf(shape)}.`;
  return { severity: "error", code: "missing-key", path, message, part: "key" };
}

function invalidValue(path: readonly string[], value: unknown, shape: Shape): Finding {
  const sentence = `Expected ${expectationOf(shape)}, got ${describeValue(value, shape)}.`;
  const message = `${sentence}${hintFor(value, shape)}`;
  return { severity: "error", code: "invalid-value", path, message, part: "value" };
}

function hintFor(value: unknown, shape: Shape): string {
  if (typeof value !== "string") return "";
  if (shape.type === "enum") {
    const nearest = nearestWord(value, shape.values);
    return nearest === null ? "" : ` Did you mean \`${nearest}\`?`;
  }
  const isNumber = shape.type === "integer" || shape.type === "number";
  const isSexagesimal = isNumber && /^[-+]?\d+(:\d+)+$/.test(value);
  return isSexagesimal ? " Numbers to base 60 such as 1:30 are not read; write 90." : "";
}

function unknownKey(path: readonly string[], key: string, parent: Shape | undefined): Finding {
  const known = parent?.type === "object" ? Object.keys(parent.fields) : [];
  const message = `Unknown key \`${key}\`. ${adviceFor(key, known)}`;
  return { severity: "error", code: "unknown-key", path, message, part: "key" };
}

function adviceFor(key: string, known: readonly string[]): string {
  const home = fieldSections.find(({ fields }) => fieldOf(fields, key) !== undefined);
  if (home !== undefined) {
    return `It belongs ${home.place === "" ? "at the top level" : `in \`${home.place}\``}.`;
  }
  const nearest = nearestWord(key, known);
  return nearest === null ? "Remove it." : `Did you mean \`${nearest}\`?`;
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  let value = values;
  for (const key of path) {
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}
