/** Cached lists of environments, models and checkpoints from the services and from this computer, each with its age. */

import { formatDuration } from "../../../../shared/format.ts";
import type { KeyOrigin } from "../../../secrets/keySource.ts";
import { isLocalModel } from "../../fields/presets.ts";

/** A list from a service or from this computer. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  /** Milliseconds since the request; null when unknown. */
  readonly ageMs: number | null;
  /** False when the list is partial, so a name missing from it may still exist. */
  readonly isComplete: boolean;
  /** Base URL of the service; null for this computer and the hosted service. */
  readonly server: string | null;
}

export interface SplitEntry {
  readonly name: string;
  /** Number of tasks; null when unknown. */
  readonly tasks: number | null;
}

export interface EnvironmentEntry {
  /** As in a configuration: `Owner/Name` or `local/name`. */
  readonly name: string;
  /** Untrusted; shown as plain text. */
  readonly description: string | null;
  /** Null when unknown. */
  readonly splits: readonly SplitEntry[] | null;
  readonly tools: readonly string[] | null;
  /** Names of the secrets that it needs. */
  readonly secrets: readonly string[];
  /** URL of its web page; null when it has none. */
  readonly page: string | null;
}

export interface ModelEntry {
  readonly name: string;
  readonly contextTokens: number | null;
  readonly maxRank: number | null;
  /** For example a price class; shown as plain text. */
  readonly note: string | null;
}

export interface CatalogueCheckpoint {
  /** `tinker://RUN/weights/NAME`. */
  readonly path: string;
  readonly model: string | null;
  readonly rank: number | null;
  /** Name of the run that saved it. */
  readonly run: string | null;
  /** For example `final`; null when unknown. */
  readonly kind: string | null;
  /** From 0. */
  readonly step: number | null;
  readonly reward: number | null;
  readonly ageMs: number | null;
  /** Negative once expired; null when it never expires or the expiry is unknown. */
  readonly expiresInMs: number | null;
  readonly sizeBytes: number | null;
  /** True when it is known to be deleted or replaced by a newer one. */
  readonly isGone: boolean;
}

/** The lists of one provider; null for a list that was never loaded. */
export interface CatalogueLists {
  readonly environments: Listing<EnvironmentEntry> | null;
  readonly models: Listing<ModelEntry> | null;
  readonly checkpoints: Listing<CatalogueCheckpoint> | null;
}

/** Where a secret's value would come from, without the value itself. */
export interface SecretState {
  /** Uppercase, as it is looked up. */
  readonly name: string;
  /** Null when it is not set. */
  readonly origin: KeyOrigin | null;
}

export interface Catalogue {
  /** What this computer runs itself: names that start with `local/`. */
  readonly local: CatalogueLists;
  readonly hosted: CatalogueLists;
  /** Tokenizer names in addition to those of the models. */
  readonly tokenizers: readonly string[];
  /** Null when the secret store must not be accessed. */
  readonly secrets: readonly SecretState[] | null;
}

const NOTHING: CatalogueLists = { environments: null, models: null, checkpoints: null };

export const EMPTY_CATALOGUE: Catalogue = {
  local: NOTHING,
  hosted: NOTHING,
  tokenizers: [],
  secrets: null,
};

/** The lists that a model or environment of this name belongs to. */
export function listsFor(catalogue: Catalogue, name: string): CatalogueLists {
  return isLocalModel(name) ? catalogue.local : catalogue.hosted;
}

/** Finds an environment by name, with or without `:variant`. */
export function findEnvironment(catalogue: Catalogue, name: string): EnvironmentEntry | null {
  const items = listsFor(catalogue, name).environments?.items ?? [];
  const plain = plainName(name);
  return (
    items.find((item) => item.name === name) ?? items.find((item) => item.name === plain) ?? null
  );
}

export function findModel(catalogue: Catalogue, name: string): ModelEntry | null {
  const items = listsFor(catalogue, name).models?.items ?? [];
  return items.find((item) => item.name === name) ?? null;
}

/** False for a checkpoint that is gone or has expired. */
export function isUsable({ isGone, expiresInMs }: CatalogueCheckpoint): boolean {
  return !isGone && (expiresInMs === null || expiresInMs > 0);
}

/** Checkpoints that a run can start from: the newest, then the one with the best reward, then the rest from new to old. */
export function usableCheckpoints(catalogue: Catalogue): readonly CatalogueCheckpoint[] {
  const usable = allCheckpoints(catalogue).filter(isUsable);
  const [newest] = usable;
  const [best] = usable
    .filter(({ reward }) => reward !== null)
    .toSorted((a, b) => (b.reward ?? 0) - (a.reward ?? 0));
  return [...new Set([newest, best, ...usable])].filter((entry) => entry !== undefined);
}

/** All known checkpoints, newest first. */
export function allCheckpoints({ local, hosted }: Catalogue): readonly CatalogueCheckpoint[] {
  const all = [...(local.checkpoints?.items ?? []), ...(hosted.checkpoints?.items ?? [])];
  const age = ({ ageMs }: CatalogueCheckpoint): number => ageMs ?? Number.MAX_SAFE_INTEGER;
  return all.toSorted((a, b) => age(a) - age(b));
}

/** `Owner/Name` of `Owner/Name:variant`. */
export function plainName(name: string): string {
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  return colon < 0 ? name : name.slice(0, colon);
}

/** `3 h 05 min old`, or `of unknown age`. */
export function formatListAge(ageMs: number | null): string {
  if (ageMs === null) return "of unknown age";
  const days = Math.floor(ageMs / 86_400_000);
  if (days >= 2) return `${days} days old`;
  return `${formatDuration(Math.max(0, ageMs) / 1000)} old`;
}

/** An entry for an environment of which only the name is known. */
export function unknownEnvironment(name: string): EnvironmentEntry {
  return { name, description: null, splits: null, tools: null, secrets: [], page: null };
}
