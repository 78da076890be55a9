/** A catalogue for tests: a few names of each kind, as in a cache on disk. */

import {
  type Catalogue,
  type CatalogueCheckpoint,
  EMPTY_CATALOGUE,
  type EnvironmentEntry,
  type Listing,
} from "../../../../src/core/config/editing/catalogue/catalogue.ts";

export function listing<Item>(items: readonly Item[]): Listing<Item> {
  return { items, ageMs: 3 * 3600_000, isComplete: true, server: null };
}

export function anEnvironment(
  name: string,
  rest: Partial<EnvironmentEntry> = {},
): EnvironmentEntry {
  const splits = [
    { name: "train", tasks: 128 },
    { name: "test", tasks: 32 },
  ];
  return { name, description: null, splits, tools: ["a", "b"], secrets: [], page: null, ...rest };
}

export function aCheckpoint(
  path: string,
  rest: Partial<CatalogueCheckpoint> = {},
): CatalogueCheckpoint {
  return {
    path,
    model: "Qwen/Qwen3-8B",
    rank: 32,
    run: "first",
    step: 49,
    reward: 0.63,
    ageMs: 60_000,
    expiresInMs: null,
    sizeBytes: null,
    kind: null,
    isGone: false,
    ...rest,
  };
}

export const NEW_CHECKPOINT = "tinker://s1:train:0/weights/checkpoint_000050";
export const OLD_CHECKPOINT = "tinker://s1:train:0/weights/checkpoint_000010";

export const CATALOGUE: Catalogue = {
  ...EMPTY_CATALOGUE,
  local: {
    environments: listing([anEnvironment("local/calculator"), anEnvironment("local/depot")]),
    models: listing([{ name: "local/tiny-tool", contextTokens: 256, maxRank: 32, note: null }]),
    checkpoints: listing([]),
  },
  hosted: {
    environments: listing([
      anEnvironment("GeneralReasoning/WhoDunIt", { secrets: ["OPENAI_API_KEY"] }),
      anEnvironment("Owner/Game"),
    ]),
    models: listing([
      { name: "Qwen/Qwen3-8B", contextTokens: 32_768, maxRank: 64, note: null },
      { name: "Qwen/Qwen3-30B-A3B", contextTokens: 65_536, maxRank: 64, note: null },
    ]),
    checkpoints: listing([
      aCheckpoint(OLD_CHECKPOINT, { step: 9, ageMs: 9_000_000 }),
      aCheckpoint(NEW_CHECKPOINT),
    ]),
  },
  secrets: [{ name: "OPENAI_API_KEY", origin: null }],
};

/** A rolling checkpoint that a newer one has replaced. */
export const GONE = "tinker://s:train:0/weights/rolling_000045";

export function checkpointCatalogue(...items: readonly CatalogueCheckpoint[]): Catalogue {
  return {
    ...EMPTY_CATALOGUE,
    hosted: { environments: null, models: null, checkpoints: listing(items) },
  };
}
