/** Settings of many runs. Only settings that differ between runs are shown. */

import { NAMING_KEYS } from "../config/fields/runFields.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Sha256 } from "../ports.ts";

/** Values as JSON, by dotted key. */
export type FlatSettings = ReadonlyMap<string, string>;

/** Plain data that can be stored between sessions. */
export interface StoredSettings {
  readonly base: Readonly<Record<string, string>>;
  /** By run; null for a key that the run does not have. */
  readonly changes: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
}

/** More than any configuration has. */
const MAX_KEYS = 5_000;
/** Longer values are cut and end with a hash of the whole value. The run's file has the full value. */
const MAX_VALUE = 500;

export interface FlatSettingsOptions {
  /** Called with every text, because paths in a home folder contain the user's name. */
  readonly shorten: (text: string) => string;
  readonly sha256: Sha256;
}

/** Leaves of a resolved configuration. A list counts as one leaf, and an empty map sets nothing. */
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
    if (isJsonObject(value)) {
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

/** How far a stopped run came is in its steps. */
const NOT_COMPARED: ReadonlySet<string> = new Set([...NAMING_KEYS, "stop_at_step"]);

/**
 * Stores only the differences between each run and the first, so that thousands of runs need little memory. A missing or null key
 * counts as different from every value.
 */
export class SettingsTable {
  #base: FlatSettings | null = null;
  readonly #changes = new Map<string, Changes>();
  #differing: readonly string[] | null = null;

  /** True if the run is new or its settings have changed. */
  set(run: string, given: FlatSettings): boolean {
    const settings = new Map(
      [...given].filter(([key, value]) => value !== "null" && !NOT_COMPARED.has(key)),
    );
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

  /** True if the table contained the run. */
  delete(run: string): boolean {
    const isKnown = this.#changes.delete(run);
    if (isKnown) this.#differing = null;
    return isKnown;
  }

  has(run: string): boolean {
    return this.#changes.has(run);
  }

  runs(): readonly string[] {
    return [...this.#changes.keys()];
  }

  /** Number of keys whose values differ from those of the first run. */
  differencesOf(run: string): number {
    return this.#changes.get(run)?.size ?? 0;
  }

  stored(): StoredSettings {
    const changes = [...this.#changes].map(([run, own]) => [run, Object.fromEntries(own)] as const);
    return {
      base: Object.fromEntries(this.#base ?? new Map<string, string>()),
      changes: Object.fromEntries(changes),
    };
  }

  /** Restores the result of {@link stored}. Call this first. */
  restore({ base, changes }: StoredSettings): void {
    this.#base = new Map(Object.entries(base));
    for (const [run, own] of Object.entries(changes)) {
      this.#changes.set(run, new Map(Object.entries(own)));
    }
    this.#differing = null;
  }

  /** Keys whose values differ between runs, in the order of the first run's configuration. Other keys follow. */
  differing(): readonly string[] {
    this.#differing ??= this.#findDiffering();
    return this.#differing;
  }

  /** Values of a run for {@link differing}, without missing keys. */
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
    const position = new Map(order.map((key, index) => [key, index]));
    return [...found]
      .flatMap(([key, seen]) => (differs(seen) ? [key] : []))
      .sort((a, b) => (position.get(a) ?? order.length) - (position.get(b) ?? order.length));
  }
}

type Changes = ReadonlyMap<string, string | null>;

function isSame(a: Changes | undefined, b: Changes): boolean {
  return a?.size === b.size && [...b].every(([key, value]) => a.get(key) === value);
}
