/** Handles `stages` of a configuration: lays each stage over the rest of the file, and maps findings back to where they were written. */

import { isJsonObject, type JsonObject } from "../json.ts";
import { coerce } from "./fields/coerce.ts";
import type { Shape } from "./fields/field.ts";
import { childShape, configShape } from "./fields/fields.ts";
import { isSame } from "./fields/sameValue.ts";
import type { Config } from "./fields/schema.ts";
import { applyOverrides, type OverriddenValues, parseAssignment } from "./overrides.ts";
import { valueAt } from "./rules/issues.ts";
import { SHARED_KEYS } from "./rules/stageRules.ts";
import type { Finding } from "./source/finding.ts";
import type { KeyPath } from "./source/keyPath.ts";
import { entryAt } from "./source/locate.ts";
import type { Remedy } from "./source/remedy.ts";
import { languageOf, readYaml, type YamlSource } from "./source/yamlSource.ts";

/** The values of the file overlaid with those of one stage. */
export interface StageValues {
  /** Null for a file without stages. */
  readonly name: string | null;
  readonly values: unknown;
}

export type StageBudgets = Pick<Config, "max_cost_usd" | "max_hours" | "max_tokens_total">;

interface TextOptions {
  readonly path: string;
  /** Each as `key=value`. */
  readonly overrides: readonly string[];
}

/** A stage with its findings. */
interface CheckedStage {
  readonly name: string | null;
  readonly findings: readonly Finding[];
  readonly overridden: Pick<OverriddenValues, "overrideBehind">;
}

/** Names of the stages in order; empty without stages. */
export function stageNames(values: unknown): readonly string[] {
  const stages = valueAt(values, ["stages"]);
  return isJsonObject(stages) ? Object.keys(stages) : [];
}

const BUDGET_KEYS: readonly string[] = ["max_cost_usd", "max_tokens_total", "max_hours"];

/** The budget that a `key=value` sets; null for any other key. */
export function budgetKey(override: string): string | null {
  const [first, ...inside] = parseAssignment(override)?.segments ?? [];
  const key = inside.length === 0 ? first?.text : undefined;
  return BUDGET_KEYS.find((each) => each === key) ?? null;
}

/** The budgets that the top of the file sets for all stages together; null where unset. */
export function sharedBudgets(text: string, { path, overrides }: TextOptions): StageBudgets {
  const source = readYaml(text, languageOf(path));
  const written = source.root === null ? null : coerce(source, source.root, configShape);
  const { values } = applyOverrides(written, isJsonObject(written) ? overrides : []);
  const of = (key: keyof StageBudgets): number | null => {
    const value = valueAt(values, [key]);
    return typeof value === "number" ? value : null;
  };
  return {
    max_cost_usd: of("max_cost_usd"),
    max_tokens_total: of("max_tokens_total"),
    max_hours: of("max_hours"),
  };
}

/**
 * The values to check: the file itself, the stage chosen by `stage`, or every stage in order. Mappings of a stage are merged key by key
 * into those of the file; all other values replace the file's.
 */
export function stagesOf(written: unknown, chosen: unknown): readonly StageValues[] {
  const names = stageNames(written);
  if (!isJsonObject(written) || names.length === 0) return [{ name: null, values: written }];
  if (chosen === undefined || chosen === null) {
    return names.map((name) => ({ name, values: withStage(written, name) }));
  }
  if (typeof chosen !== "string" || !names.includes(chosen)) {
    return [{ name: null, values: written }];
  }
  // The run of a single stage has no other stages.
  return [{ name: chosen, values: { ...withStage(written, chosen), stages: null } }];
}

function withStage(written: JsonObject, name: string): JsonObject {
  const own = valueAt(written, ["stages", name]);
  const { stages, ...rest } = written;
  const values = isJsonObject(own) ? merged(rest, own, configShape) : rest;
  return stages === undefined ? values : { ...values, stages };
}

function merged(base: JsonObject, over: JsonObject, shape: Shape): JsonObject {
  const values = Object.entries(over).map(([key, value]) => {
    const child = childShape(shape, key);
    const below = Object.hasOwn(base, key) ? base[key] : undefined;
    const isMapping = child?.type === "map" || child?.type === "object";
    const isMerged = isMapping && isJsonObject(below) && isJsonObject(value);
    return [key, isMerged ? merged(below, value, child) : value] as const;
  });
  return { ...base, ...Object.fromEntries(values) };
}

/**
 * Merges the findings of all stages: each once, at the place that sets the value (the stage or the rest of the file). A finding about the
 * rest of the file counts if it is an error or if every stage has it.
 */
export function joinFindings(
  source: YamlSource,
  found: readonly CheckedStage[],
): readonly Finding[] {
  const places = new Map<string, { readonly finding: Finding; count: number }>();
  for (const { name, findings, overridden } of found) {
    for (const finding of findings) {
      const place = (path: KeyPath) =>
        overridden.overrideBehind(path) !== null ? path : ownPlace(source, name, path);
      const placed = placedBy(place, finding);
      const id = JSON.stringify([placed.code, placed.path, placed.message]);
      const known = places.get(id) ?? { finding: placed, count: 0 };
      places.set(id, { ...known, count: known.count + 1 });
    }
  }
  return [...places.values()]
    .filter(
      ({ finding: { path, severity }, count }) =>
        severity === "error" || path[0] === "stages" || count === found.length,
    )
    .map(({ finding }) => finding);
}

/** Where the value that stage `name` uses for `path` is written: in the stage, or in the rest of the file. */
export function ownPlace(source: YamlSource, name: string | null, path: KeyPath): KeyPath {
  if (name === null || path.length === 0) return path;
  const own = ["stages", name, ...path];
  return entryAt(source, own) === null ? path : own;
}

function placedBy(place: (path: KeyPath) => KeyPath, finding: Finding): Finding {
  const { relatedPaths = [], remedies = [] } = finding;
  const path = place(finding.path);
  const stage = path.slice(0, path.length - finding.path.length);
  return {
    ...finding,
    path,
    relatedPaths: relatedPaths.map(place),
    remedies: remedies.flatMap((remedy) => placedRemedy(place, stage, remedy)),
  };
}

/**
 * `stage` is the path of the stage that the finding is in; empty = the rest of the file. Empty for a remedy whose second path is outside the
 * same stage, because it would change the other stages.
 */
function placedRemedy(
  place: (path: KeyPath) => KeyPath,
  stage: KeyPath,
  remedy: Remedy,
): readonly Remedy[] {
  if (!("path" in remedy)) return [remedy];
  const path = place(remedy.path);
  const above = path.slice(0, path.length - remedy.path.length);
  const isBeside = (other: KeyPath): boolean => isSame(place(other), [...above, ...other]);
  switch (remedy.kind) {
    case "set": {
      const isPlaced = above.length > 0 || SHARED_KEYS.includes(path[0] ?? "");
      return [{ ...remedy, path: isPlaced ? path : [...stage, ...path] }];
    }
    case "move": {
      if (above.length === 0) return [remedy];
      const to = [...above, ...remedy.to];
      return [{ ...remedy, path, to, title: `Move to ${to.join(".")}` }];
    }
    case "swap":
      return isBeside(remedy.other) ? [{ ...remedy, path, other: place(remedy.other) }] : [];
    case "indent": {
      const end = remedy.end === null ? null : place(remedy.end);
      return remedy.end === null || isBeside(remedy.end) ? [{ ...remedy, path, end }] : [];
    }
    default:
      return [{ ...remedy, path }];
  }
}
