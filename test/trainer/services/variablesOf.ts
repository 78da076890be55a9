/** A run's variables, by origin. */

import type { FoundValue } from "../../../src/core/secrets/keySource.ts";

export interface FoundIn {
  /** Keys of the editor with their hosts; null = the official host. */
  readonly store?: Readonly<
    Record<string, { readonly value: string; readonly host: string | null }>
  >;
  readonly process?: Readonly<Record<string, string>>;
  readonly dotenv?: Readonly<Record<string, string>>;
}

export function variablesOf({ store = {}, process = {}, dotenv = {} }: FoundIn) {
  return (name: string): FoundValue | null => {
    const kept = store[name];
    if (kept !== undefined) return { ...kept, origin: "store" };
    const own = process[name];
    if (own !== undefined) return { value: own, origin: "process" };
    const value = dotenv[name];
    return value === undefined ? null : { value, origin: "dotenv" };
  };
}
