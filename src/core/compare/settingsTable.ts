/** The settings of many runs, of which only those are of interest that are not the same in all. */

import { isJsonObject, type JsonObject } from "../json.ts";
import type { Sha256 } from "../ports.ts";

/** Values as JSON, by dotted key. */
export type FlatSettings = ReadonlyMap<string, string>;

/** Plain data, so that it can be stored between two windows. */
export interface StoredSettings {
  readonly base: Readonly<Record<string, string>>;
  /** By run; null for a key that the run lacks. */
  readonly changes: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
}

/** More than a configuration has. */
const MAX_KEYS = 5_000;
/** A value longer than this is cut, and ends with a hash of the whole; the file of the run has it whole. */
const MAX_VALUE = 500;

export interface FlatSettingsOptions {
  /** Is called with every text: paths in a home folder name its owner. */
  readonly shorten: (text: string) => string;
  readonly sha256: Sha256;
}

/** The leaves of a resolved configuration; a list is one. */
export function flatSettings(config: unknown, options: FlatSettingsOptions): FlatSettings {
  const found = new Map<string, string>();
  if (isJsonObject(config)) addLeaves(config, "", options, found);
  return found;
}

function addLeaves(
  branch: JsonObject,
  prefix: string,
  options: FlatSettingsOptions,
  found: Map<string, string>,
): void {
  for (const [name, value] of Object.entries(branch)) {
    const key = `${prefix}${name}`;
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      addLeaves(value, `${key}.`, options, found);
    } else if (found.size < MAX_KEYS) {
      const shown =
        JSON.stringify(value, (_, part: unknown) =>
          typeof part === "string" ? options.shorten(part) : part,
        ) ?? "null";
      const hash = () => options.sha256(shown).slice(0, 8);
      found.set(key, shown.length > MAX_VALUE ? `${shown.slice(0, MAX_VALUE)}… ${hash()}` : shown);
    }
  }
}

/**
 * Holds for each run only what is not as in the first one, so that thousands of runs take little room. A key that a run lacks,
 * or has as null, counts as different from every value.
 */
export class SettingsTable {
  #base: FlatSettings | null = null;
  readonly #changes = new Map<string, Changes>();
  #differing: readonly string[] | null = null;

  /** True when the table had other settings of the run, or none. */
  set(run: string, given: FlatSettings): boolean {
    const settings = new Map([...given].filter(([, value]) => value !== "null"));
    this.#base ??= settings;
    const base = this.#base;
    const changed = new Map<string, string | null>();
    for (const [key, value] of settings) {
      if (base.get(key) !== value) changed.set(key, value);
    }
    for (const key of base.keys()) {
      if (!settings.has(key)) changed.set(key, null);
    }
    if (isSame(this.#changes.get(run), changed)) return false;
    this.#changes.set(run, changed);
    this.#differing = null;
    return true;
  }

  /** True when the table had the run. */
  delete(run: string): boolean {
    const isKnown = this.#changes.delete(run);
    if (isKnown) this.#differing = null;
    return isKnown;
  }

  has(run: string): boolean {
    return this.#changes.has(run);
  }

  /** All runs that it holds. */
  runs(): readonly string[] {
    return [...this.#changes.keys()];
  }

  stored(): StoredSettings {
    const changes = [...this.#changes].map(([run, own]) => [run, Object.fromEntries(own)] as const);
    return {
      base: Object.fromEntries(this.#base ?? new Map<string, string>()),
      changes: Object.fromEntries(changes),
    };
  }

  /** Takes over what {@link stored} gave; call before any other. */
  restore({ base, changes }: StoredSettings): void {
    this.#base = new Map(Object.entries(base));
    for (const [run, own] of Object.entries(changes)) {
      this.#changes.set(run, new Map(Object.entries(own)));
    }
    this.#differing = null;
  }

  /** Keys whose values are not the same in all runs, in the order of the first run's configuration, others behind. */
  differing(): readonly string[] {
    this.#differing ??= this.#findDiffering();
    return this.#differing;
  }

  /** The values of a run for {@link differing}; without the keys that it lacks. */
  of(run: string): Readonly<Record<string, string>> {
    const changed = this.#changes.get(run);
    if (changed === undefined) return {};
    const values = this.differing().flatMap((key) => {
      const value = changed.has(key) ? changed.get(key) : this.#base?.get(key);
      return value == null ? [] : [[key, value] as const];
    });
    return Object.fromEntries(values);
  }

  #findDiffering(): readonly string[] {
    const found = new Map<string, { count: number; first: string | null; isMixed: boolean }>();
    for (const changed of this.#changes.values()) {
      for (const [key, value] of changed) {
        const seen = found.get(key);
        if (seen === undefined) found.set(key, { count: 1, first: value, isMixed: false });
        else {
          seen.count += 1;
          seen.isMixed ||= seen.first !== value;
        }
      }
    }
    const differs = ({ count, isMixed }: { readonly count: number; readonly isMixed: boolean }) =>
      isMixed || count < this.#changes.size;
    const order = [...(this.#base?.keys() ?? [])];
    const place = new Map(order.map((key, index) => [key, index]));
    return [...found]
      .flatMap(([key, seen]) => (differs(seen) ? [key] : []))
      .sort((a, b) => (place.get(a) ?? order.length) - (place.get(b) ?? order.length));
  }
}

type Changes = ReadonlyMap<string, string | null>;

function isSame(a: Changes | undefined, b: Changes): boolean {
  return a?.size === b.size && [...b].every(([key, value]) => a.get(key) === value);
}
