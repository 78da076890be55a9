/** The settings of a configuration that may change while a run continues, or that a sweep can vary, and the check of new values for them. */

import { flowText } from "../../core/config/editing/text/valueText.ts";
import type { Field, FieldTable } from "../../core/config/fields/field.ts";
import { configFields } from "../../core/config/fields/fields.ts";
import { parseConfig } from "../../core/config/parse.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { GIVEN_BY_SWEEP } from "../../core/sweeps/planSweep.ts";
import { formatKey } from "../../shared/format.ts";

/** A setting with one value: no list, and nothing with settings of its own. */
export interface SimpleSetting {
  /** As an override names it. */
  readonly key: string;
  readonly field: Field;
  /** The value in force. */
  readonly value: Json;
}

/** What users change most. */
const FIRST = ["learning_rate", "seed", "max_steps"];

/** Every tunable setting of a run's configuration, environments one by one. */
export function tunableSettings(config: JsonObject): readonly SimpleSetting[] {
  return mostChangedFirst(settingsIn(configFields, config, []).filter(isTunable));
}

/** Every setting that a sweep can vary, environments one by one. */
export function sweepableSettings(config: JsonObject): readonly SimpleSetting[] {
  const all = settingsIn(configFields, config, []);
  return mostChangedFirst(all.filter(({ key }) => !GIVEN_BY_SWEEP.has(key)));
}

function isTunable({ field }: SimpleSetting): boolean {
  return field.change === "tunable";
}

function mostChangedFirst(all: readonly SimpleSetting[]): readonly SimpleSetting[] {
  const rank = ({ key }: SimpleSetting): number => {
    const index = FIRST.indexOf(key);
    return index < 0 ? FIRST.length : index;
  };
  return all.toSorted((a, b) => rank(a) - rank(b));
}

function settingsIn(
  fields: FieldTable,
  values: JsonObject,
  place: readonly string[],
): readonly SimpleSetting[] {
  return Object.entries(fields).flatMap(([name, field]): readonly SimpleSetting[] => {
    const path = [...place, name];
    const value = values[name] ?? null;
    const inner = field.type === "map" && field.of.type === "object" ? field.of.fields : null;
    if (inner !== null && isJsonObject(value)) {
      return Object.entries(value).flatMap(([own, entry]) =>
        isJsonObject(entry) ? settingsIn(inner, entry, [...path, own]) : [],
      );
    }
    const isSimple = !["map", "list", "object"].includes(field.type);
    return isSimple ? [{ key: formatKey(path), field, value }] : [];
  });
}

/**
 * The first fault that a run's configuration, as JSON text, would have with `overrides` (`key=value` each), in the words of the
 * configuration's own check; null when it would have none.
 */
export function faultOfChanges(configText: string, overrides: readonly string[]): string | null {
  const result = parseConfig(configText, { path: "config.resolved.json", overrides });
  if (result.ok) return null;
  const errors = result.problems.filter(({ severity }) => severity === "error");
  const own = errors.find(({ override }) => override !== undefined) ?? errors[0];
  return own?.message ?? null;
}

/** What a setting does, without the marks of Markdown, which lists and boxes would show as they are. */
export function plainDoc({ doc }: Pick<Field, "doc">): string {
  return doc.replaceAll("`", "");
}

/** The first sentence: a row of a list cuts what is longer. */
export function shortDoc(field: Pick<Field, "doc">): string {
  return plainDoc({ doc: field.doc.replace(/(?<=[\w)`]\.) [A-Z`].*$/s, "") });
}

/** `learning_rate: 2e-5 → 1e-5` */
export function changeText(setting: SimpleSetting, next: string): string {
  return `${setting.key}: ${shownValue(setting)} → ${next}`;
}

/** The value in force as a configuration would write it. */
export function shownValue({ value }: SimpleSetting): string {
  return flowText(value, "yaml");
}
