/** Seeded random choices. */

import { uniformFrom } from "../../core/config/editing/fuzzedTexts.ts";

export interface Seeded {
  /** An integer from 0 up to, but excluding, `limit`. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
}

export function seeded(seed: number): Seeded {
  const uniform = uniformFrom(seed);
  const below = (limit: number): number => Math.floor(uniform() * limit);
  return {
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("There is nothing to choose from.");
      return item;
    },
  };
}
