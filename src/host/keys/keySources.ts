/** Where the value of a key would come from if a run started now: secret store, process environment, or `.env`. */

import type { KeyOrigin } from "../../core/secrets/keySource.ts";
import type { Values } from "../../core/secrets/serviceHosts.ts";
import type { RequestedKey } from "../../shared/control.ts";
import { type KeyId, SERVICE_IDS, variableOf } from "./keyNames.ts";
import type { KeyStore } from "./keyStore.ts";

export interface KeySourcesOptions {
  readonly store: KeyStore;
  /** The environment that a trainer inherits. */
  readonly environment: () => Readonly<Record<string, string | undefined>>;
  /** Values in a folder's `.env` file; empty if there is none or it may not be read. */
  readonly envValues: (folder: string) => Promise<Readonly<Record<string, string>>>;
}

export type KeySources = ReturnType<typeof keySources>;

/** Looks up keys in the same order as a trainer. */
export function keySources({ store, environment, envValues }: KeySourcesOptions) {
  const learn = (value: string | undefined): void => {
    if (value !== undefined) store.redactor.learn(value);
  };
  const fromEnvironment = (id: KeyId): string | null => {
    const value = environment()[variableOf(id)];
    learn(value);
    return value === undefined || value === "" ? null : value;
  };
  /** True if the `.env` values contain the key. */
  const isIn = (values: Values, id: KeyId): boolean => {
    const value = values[variableOf(id)];
    learn(value);
    return value !== undefined;
  };
  for (const id of SERVICE_IDS) fromEnvironment(id);
  return {
    isIn,
    /** Where `id` is set for runs from any of `folders`; null if it is not set. */
    find: async (id: KeyId, folders: readonly string[]): Promise<KeyOrigin | null> => {
      const facts = await store.facts(id);
      if (facts !== null) return facts.place;
      if (fromEnvironment(id) !== null) return "process";
      for (const folder of folders) {
        if (isIn(await envValues(folder), id)) return "dotenv";
      }
      return null;
    },
    /** The value to pass to a trainer: from the store, or from the environment and then bound to the official host. */
    valueFor: async (id: KeyId): Promise<RequestedKey | null> => {
      const stored = await store.get(id);
      if (stored !== null) return { value: stored.value, origin: "store", host: stored.host };
      const value = fromEnvironment(id);
      return value === null ? null : { value, origin: "process", host: null };
    },
    /** The value of a variable that is not a secret; `values` are those of a `.env`. */
    variable: (name: string, values: Values): string | null =>
      environment()[name] || values[name] || null,
  };
}
