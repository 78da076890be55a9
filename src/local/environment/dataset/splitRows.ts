/** Which rows of a dataset are in which split. */

import { sha256 } from "../../../node/hash.ts";
import { type DatasetRow, questionKey } from "./datasetRows.ts";

/** Hex digits of the hash that decide: 48 bits, which a number holds exactly. */
const DIGITS = 12;

/**
 * The rows of each split that has any, in the order of the file: by their column, else by a hash of the question alone. So a question
 * stays in its split when rows are added or moved, and no two splits share one. The shares are laid out by the names of the splits.
 */
export function splitRows(
  rows: readonly DatasetRow[],
  fractions: Readonly<Record<string, number>>,
): ReadonlyMap<string, readonly DatasetRow[]> {
  const bounds = upperBounds(fractions);
  const splits = new Map<string, DatasetRow[]>();
  for (const row of rows) {
    const name = row.split ?? splitOf(row.question, bounds);
    const split = splits.get(name);
    if (split === undefined) splits.set(name, [row]);
    else split.push(row);
  }
  return splits;
}

type Bounds = readonly (readonly [string, number])[];

function upperBounds(fractions: Readonly<Record<string, number>>): Bounds {
  let sum = 0;
  return Object.entries(fractions)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, fraction]) => {
      sum += fraction;
      return [name, sum] as const;
    });
}

function splitOf(question: string, bounds: Bounds): string {
  const place = Number.parseInt(sha256(questionKey(question)).slice(0, DIGITS), 16) / 16 ** DIGITS;
  // The shares add up to 1 but for rounding.
  return (bounds.find(([, bound]) => place < bound) ?? bounds.at(-1))?.[0] ?? "train";
}
