/** Applies `key=value` settings from outside the file: which key of the configuration each one sets, and to what. */

import { isScalar } from "yaml";
import { nearestWord } from "../../shared/editDistance.ts";
import { formatKey } from "../../shared/format.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { coerce } from "./fields/coerce.ts";
import type { Shape } from "./fields/field.ts";
import { childShape, configShape, isSecret, shapeAt } from "./fields/fields.ts";
import { outsideOfLists } from "./repair.ts";
import { withoutSecretValues } from "./secretValues.ts";
import { isWithin, type KeyPath } from "./source/keyPath.ts";
import type { Problem } from "./source/problem.ts";
import { readYaml } from "./source/yamlSource.ts";

/** An override whose key was resolved to a path. */
export interface AppliedOverride {
  /** `key=value` as written, with secrets replaced by null, so it is safe to show and store. */
  readonly text: string;
  /** Path of the key that it sets. */
  readonly path: KeyPath;
}

export interface OverriddenValues {
  readonly values: unknown;
  readonly applied: readonly AppliedOverride[];
  readonly problems: readonly Problem[];
  /** The override responsible for a finding about `path`; null when the file is. */
  readonly overrideBehind: (path: KeyPath) => string | null;
}

/** One part of a dotted key, possibly quoted. */
interface Segment {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** A parsed `key=value`. */
export interface Assignment {
  readonly segments: readonly Segment[];
  /** The key as written, including the equals sign. */
  readonly prefix: string;
  readonly value: string;
}

interface Place extends AppliedOverride {
  /** The outermost key that the override added; `path` itself when only the last key or nothing was missing. */
  readonly created: KeyPath;
}

const SEGMENT = /"([^"]*)"|'([^']*)'|[^."'=]+/g;
const ASSIGNMENT = new RegExp(`^((?:${SEGMENT.source})(?:\\.(?:${SEGMENT.source}))*)=`);

/** Overrides apply to all stages, so they are applied after a stage's own values. */
const IN_STAGES =
  "Overrides cannot set stages. Write this under `stages` in the file, or choose one stage with `stage=NAME` and override its keys without `stages.NAME`.";

/**
 * Applies overrides in order to the plain values of a file; the last one wins. Keys are joined with dots. A name that contains dots may
 * be quoted, and needs no quotes if the file already has it. Values are YAML, coerced to the field's type. Missing or null parents become
 * mappings. The result is not validated.
 */
export function applyOverrides(base: unknown, texts: readonly string[]): OverriddenValues {
  let values = base;
  const places: Place[] = [];
  const problems: Problem[] = [];
  for (const text of texts) {
    const assignment = parseAssignment(text);
    if (assignment === null) {
      problems.push(faultOf(text, "Write it as `key=value`, with dots between keys."));
      continue;
    }
    const path = resolvePath(values, assignment.segments);
    const shape = shapeAt(path);
    const shown = assignment.prefix + shownValue(assignment.value, shape);
    if (path[0] === "stages") {
      problems.push(faultOf(shown, IN_STAGES));
      continue;
    }
    const whole = outsideOfLists(path);
    if (whole.length < path.length) {
      const key = formatKey(whole);
      problems.push(
        faultOf(shown, `\`${key}\` is a list, which is set as a whole: \`${key}=[…]\`.`),
      );
      continue;
    }
    const created = firstMissing(values, path);
    const misnamed = misnamedEnvironment(values, path, created);
    if (misnamed !== null) {
      problems.push({ ...faultOf(shown, misnamed), severity: "warning", code: "TRL300" });
    }
    const read = readValue(assignment.value, shape);
    if (read.fault !== null) problems.push(faultOf(shown, read.fault));
    // An unset shell variable leaves nothing after the equals sign.
    if (read.isMissing) {
      const key = formatKey(path);
      const message = `\`${key}\` has no value. For no value at all, write \`${assignment.prefix}null\`.`;
      problems.push(faultOf(shown, message));
    }
    places.push({ text: shown, path, created });
    values = setAt(values, path, read.value, configShape);
  }
  return {
    values,
    problems,
    applied: places.map(({ text, path }) => ({ text, path })),
    overrideBehind: (path) => placeBehind(places, path)?.text ?? null,
  };
}

function faultOf(override: string, message: string): Problem {
  const nowhere = { at: null, span: null, related: [], remedies: [] };
  return { severity: "error", code: "TRL100", message, path: [], ...nowhere, override };
}

/** Null when there is no key before an equals sign. */
export function parseAssignment(text: string): Assignment | null {
  const match = ASSIGNMENT.exec(text);
  if (match === null) return null;
  const [prefix, key = ""] = match;
  const segments = [...key.matchAll(SEGMENT)].map(([all, double, single]) => {
    const quoted = double ?? single;
    return { text: quoted ?? all.trim(), isQuoted: quoted !== undefined };
  });
  return { segments, prefix, value: text.slice(prefix.length) };
}

function resolvePath(values: unknown, segments: readonly Segment[]): KeyPath {
  if (segments.length === 0) return [];
  const own = isJsonObject(values) ? values : {};
  const count = piecesOfName(own, segments);
  const key = joined(segments.slice(0, count));
  return [key, ...resolvePath(childOf(own, key), segments.slice(count))];
}

/** Shells strip quotes, so a name with dots can arrive in pieces. The longest existing name wins. */
function piecesOfName(own: JsonObject, segments: readonly Segment[]): number {
  const quoted = segments.findIndex(({ isQuoted }) => isQuoted);
  for (let count = quoted < 0 ? segments.length : quoted; count > 1; count -= 1) {
    if (Object.hasOwn(own, joined(segments.slice(0, count)))) return count;
  }
  return 1;
}

function joined(segments: readonly Segment[]): string {
  return segments.map(({ text }) => text).join(".");
}

function shownValue(value: string, shape: Shape | undefined): string {
  if (shape?.type === "string") return isSecret(shape) ? "null" : value;
  return shape === undefined ? value : withoutSecretValues(value, shape);
}

function readValue(text: string, shape: Shape | undefined) {
  const source = readYaml(text, "yaml");
  const fault = source.faults.find(({ severity }) => severity === "error")?.message ?? null;
  const isWhole = (source.root?.range?.[1] ?? 0) === text.trimEnd().length;
  const isPlain = fault === null && isWhole && (source.root === null || isScalar(source.root));
  // Text such as `You are: a helper` or `Solve #5` is taken literally.
  if (shape?.type === "string" && !isPlain) return { value: text, fault: null, isMissing: false };
  const isMissing = fault === null && source.root === null && shape?.type !== "string";
  return { value: coerce(source, source.root, shape), fault, isMissing };
}

function firstMissing(values: unknown, path: KeyPath): KeyPath {
  let value = values;
  for (const [depth, key] of path.entries()) {
    value = isJsonObject(value) ? childOf(value, key) : undefined;
    if (value === undefined) return path.slice(0, depth + 1);
  }
  return path;
}

/**
 * A "did you mean" sentence when the override would create an environment whose name is close to an existing one. Null for anything else,
 * and for `splits`, because that key is how a new environment starts.
 */
function misnamedEnvironment(values: unknown, path: KeyPath, created: KeyPath): string | null {
  const [section, name = ""] = created;
  if (section !== "environments" || created.length !== 2) return null;
  if (path.length === 2 || path[2] === "splits") return null;
  const others = isJsonObject(values) ? values[section] : null;
  const near = isJsonObject(others) ? nearestWord(name, Object.keys(others)) : null;
  return near === null ? null : `No environment is called \`${name}\`. Did you mean \`${near}\`?`;
}

function setAt(
  container: unknown,
  path: KeyPath,
  value: unknown,
  shape: Shape | undefined,
): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const own = asMapping(container, shape);
  return { ...own, [key]: setAt(childOf(own, key), rest, value, childShape(shape, key)) };
}

function asMapping(container: unknown, shape: Shape | undefined): JsonObject {
  if (isJsonObject(container)) return container;
  const shorthand = shape?.type === "object" ? shape.shorthand : undefined;
  return typeof container === "boolean" && shorthand !== undefined
    ? { [shorthand]: container }
    : {};
}

function childOf(own: JsonObject, key: string): unknown {
  return Object.hasOwn(own, key) ? own[key] : undefined;
}

function placeBehind(places: readonly Place[], path: KeyPath): Place | undefined {
  if (path.length === 0) return undefined;
  return places.findLast((place) => isWithin(path, place.created) || isWithin(place.path, path));
}
