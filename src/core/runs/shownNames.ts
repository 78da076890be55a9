/** What runs are called where people read: a run of a sweep by its settings, as in `lr 1e-2 · seed 1`, any other run by its own name. */

import type { RunFile, SweepMember } from "../../shared/runFile.ts";
import { shortKey } from "../../shared/sweepText.ts";
import { parseAssignment } from "../config/overrides.ts";

/** A run of a list. */
export interface RunOfList {
  /** The one that its trainer gave it. */
  readonly name: string;
  readonly file: Pick<RunFile, "sweep"> | null;
  /** The one that the user gave it; null = none. */
  readonly label: string | null;
}

type SweptFile = { readonly sweep?: Pick<SweepMember, "settings"> | undefined } | null;

/** A setting that a sweep varies. */
export interface ShortSetting {
  /** The last part of its key, or the whole key where another one of the run ends with the same part. */
  readonly key: string;
  /** As the sweep was given it. */
  readonly value: string;
}

/** Keys that the field abbreviates. */
const SHORT_KEYS: ReadonlyMap<string, string> = new Map([["learning_rate", "lr"]]);

/**
 * A name for each run of a list. Two runs of different sweeps with the same settings differ by the names of their sweeps,
 * and by their own where that is not enough.
 */
export function shownNames(runs: readonly RunOfList[]): readonly string[] {
  const short = runs.map(
    ({ name, file, label }) => label ?? settingsName(settingsOf(file)) ?? name,
  );
  const withSweep = runs.map(({ name, file, label }, index) => {
    const own = short[index] ?? name;
    const isAlone = label !== null || file?.sweep === undefined || isOnce(short, own);
    return isAlone ? own : `${file.sweep.name}: ${own}`;
  });
  return withSweep.map((own, index) => {
    const { name = own, label = null } = runs[index] ?? {};
    return label !== null || isOnce(withSweep, own) ? own : name;
  });
}

/** The settings of a run of a sweep, `key=value` each, as a name; null without settings. */
export function settingsName(settings: readonly string[]): string | null {
  if (settings.length === 0) return null;
  return shortSettings(settings)
    .map(({ key, value }) => `${SHORT_KEYS.get(key) ?? key} ${value === "" ? '""' : value}`)
    .join(" · ");
}

/** Reads `key=value` each. */
export function shortSettings(settings: readonly string[]): readonly ShortSetting[] {
  const parts = settings.map(partsOf);
  const keys = parts.map(({ key }) => key);
  return parts.map(({ key, last, value }) => ({ key: shortKey(key, keys, last), value }));
}

function partsOf(setting: string) {
  const { segments = [], value = "" } = parseAssignment(setting) ?? {};
  const parts = segments.map(({ text }) => text);
  return { key: parts.join("."), last: parts.at(-1), value };
}

/** What the sweep of a run varies: values as they were given, by key, dotted as in the resolved configuration. None for a run of its own. */
export function variedSettings(file: SweptFile): Readonly<Record<string, string>> {
  return Object.fromEntries(
    settingsOf(file)
      .map(partsOf)
      .map(({ key, value }) => [key, value]),
  );
}

function settingsOf(file: SweptFile): readonly string[] {
  return file?.sweep?.settings ?? [];
}

function isOnce(names: readonly string[], name: string): boolean {
  return names.indexOf(name) === names.lastIndexOf(name);
}
