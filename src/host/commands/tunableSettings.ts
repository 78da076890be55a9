/** The settings that may change while a run continues or that a sweep can vary, and validation of new values. */

import { flowText } from "../../core/config/editing/text/valueText.ts";
import type { Field, FieldTable } from "../../core/config/fields/field.ts";
import { configFields } from "../../core/config/fields/fields.ts";
import { NAMING_KEYS } from "../../core/config/fields/runFields.ts";
import { parseConfig } from "../../core/config/parse.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { formatKey } from "../../shared/format.ts";

/** A setting with a single value: not a list, and without settings of its own. */
export interface SimpleSetting {
  /** As written in an override. */
  readonly key: string;
  readonly field: Field;
  /** The current value. */
  readonly value: Json;
}

/** The settings that users change most. */
const FIRST = ["learning_rate", "seed", "max_steps"];

/** All tunable settings of a run's configuration, including those of each environment. */
export function tunableSettings(config: JsonObject): readonly SimpleSetting[] {
  const all = settingsIn(configFields, config, []);
  return mostChangedFirst(all.filter(({ field }) => field.change === "tunable"));
}

/** All settings that a sweep can vary, including those of each environment. */
export function sweepableSettings(config: JsonObject): readonly SimpleSetting[] {
  const all = settingsIn(configFields, config, []);
  return mostChangedFirst(all.filter(({ key }) => !NAMING_KEYS.has(key)));
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
 * The first error that a run's configuration (JSON text) would have with `overrides` (each `key=value`), as worded by the configuration
 * check; null if there would be none.
 */
export function faultOfChanges(configText: string, overrides: readonly string[]): string | null {
  const result = parseConfig(configText, { path: "config.resolved.json", overrides });
  if (result.ok) return null;
  const errors = result.problems.filter(({ severity }) => severity === "error");
  const own = errors.find(({ override }) => override !== undefined) ?? errors[0];
  return own?.message ?? null;
}

/** What a setting does, without Markdown backticks, which lists and input boxes would show literally. */
export function plainDoc({ doc }: Pick<Field, "doc">): string {
  return doc.replaceAll("`", "");
}

/** The first sentence, because list rows are truncated. */
export function shortDoc(field: Pick<Field, "doc">): string {
  return plainDoc({ doc: field.doc.replace(/(?<=[\w)`]\.) [A-Z`].*$/s, "") });
}

/** `learning_rate: 2e-5 → 1e-5` */
export function changeText(setting: SimpleSetting, next: string): string {
  return `${setting.key}: ${shownValue(setting)} → ${next}`;
}

/** The current value as a configuration would write it. */
export function shownValue({ value }: SimpleSetting): string {
  return flowText(value, "yaml");
}
