/** Lists and entries of the catalogue for tests. */

import type { EnvironmentEntry } from "../../../src/core/config/editing/catalogue/catalogue.ts";
import type { StoredList } from "../../../src/server/catalogue/storedLists.ts";

export const TINKER = "https://tinker.thinkingmachines.dev/services/tinker-prod";
export const CATALOGUE = "https://api.openreward.ai";

export function aList<Item>(
  items: readonly Item[],
  rest: Partial<StoredList<Item>> = {},
): StoredList<Item> {
  return { items, atMs: 0, isComplete: true, server: TINKER, ...rest };
}

export function anEnvironment(
  name: string,
  rest: Partial<EnvironmentEntry> = {},
): EnvironmentEntry {
  return { name, description: null, splits: null, tools: null, secrets: [], page: null, ...rest };
}

export function aModel(name: string) {
  return { name, contextTokens: 32_768, maxRank: null, note: null };
}
