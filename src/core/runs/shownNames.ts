/** Display names of runs. A run of a sweep is named after its settings, as in `lr 1e-2 · seed 1`. Other runs have their own names. */

import type { RunFile, SweepMember } from "../../shared/runFile.ts";
import { shortKey } from "../../shared/sweepText.ts";
import { parseAssignment } from "../config/overrides.ts";

/** A run of a list. */
export interface RunOfList {
  /** Name given by its trainer. */
  readonly name: string;
  readonly file: Pick<RunFile, "sweep"> | null;
  /** Name given by the user; null = none. */
  readonly label: string | null;
}

type SweptFile = { readonly sweep?: Pick<SweepMember, "settings"> | undefined } | null;

/** A setting that a sweep varies. */
export interface ShortSetting {
  /** Last part of the key, or the whole key if another key of the run has the same last part. */
  readonly key: string;
  /** As written in the sweep. */
  readonly value: string;
}

/** Abbreviations that are common in machine learning. */
const SHORT_KEYS: ReadonlyMap<string, string> = new Map([["learning_rate", "lr"]]);

/**
 * A name for each run of a list. Runs of different sweeps with the same settings are prefixed with the sweep's name. If names are
 * still the same, the runs' own names are used.
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

/** Name from a sweep run's settings, each `key=value`; null without settings. */
export function settingsName(settings: readonly string[]): string | null {
  if (settings.length === 0) return null;
  return shortSettings(settings)
    .map(({ key, value }) => `${SHORT_KEYS.get(key) ?? key} ${value === "" ? '""' : value}`)
    .join(" · ");
}

/** Parses settings, each `key=value`. */
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

/** Settings that the run's sweep varies: values as written, by dotted configuration key. Empty for a run without a sweep. */
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
