/**
 * The models and environments that this program runs itself, as an editor offers them. A test asserts that the table matches the embedded
 * engine and environments.
 */

import type { EMBEDDED_ENVIRONMENT_NAMES } from "../../fields/presets.ts";
import {
  type Catalogue,
  EMPTY_CATALOGUE,
  type EnvironmentEntry,
  type ModelEntry,
} from "./catalogue.ts";

const SPLITS = [
  { name: "train", tasks: 4096 },
  { name: "test", tasks: 512 },
] as const;

function embedded(
  name: (typeof EMBEDDED_ENVIRONMENT_NAMES)[number],
  tools: readonly string[],
  description: string,
): EnvironmentEntry {
  return { name, description, tools, splits: SPLITS, secrets: [], page: null };
}

export const EMBEDDED_ENVIRONMENTS: readonly EnvironmentEntry[] = [
  embedded(
    "local/calculator",
    ["calc", "answer"],
    "Work out a sum, difference or product with a calculator, then answer.",
  ),
  embedded(
    "local/number-hunt",
    ["guess"],
    "Find a secret number within five guesses; each guess is answered with higher or lower.",
  ),
  embedded(
    "local/key-vault",
    ["lookup", "answer"],
    "Follow keys through one to three boxes to a number, then answer with it.",
  ),
  embedded(
    "local/depot",
    ["find", "pick", "ship"],
    "Find two ordered items, pick each from its shelf, then ship the order. Every correct step is rewarded.",
  ),
  {
    name: "local/dataset",
    description: "Answer the questions of a file: JSONL, CSV or Parquet.",
    tools: ["answer"],
    // Depends on the file.
    splits: null,
    secrets: [],
    page: null,
  },
];

export const EMBEDDED_MODELS: readonly ModelEntry[] = [
  { name: "local/tiny-tool", contextTokens: 256, maxRank: 64, note: "bundled" },
];

/** What is known without contacting a service. */
export const EMBEDDED_CATALOGUE: Catalogue = {
  ...EMPTY_CATALOGUE,
  local: {
    environments: { items: EMBEDDED_ENVIRONMENTS, ageMs: 0, isComplete: true, server: null },
    models: { items: EMBEDDED_MODELS, ageMs: 0, isComplete: true, server: null },
    checkpoints: null,
  },
};
