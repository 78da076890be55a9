/** Assigns a dataset's rows to splits. */

import { sha256 } from "../../../node/hash.ts";
import { type DatasetRow, questionKey } from "./datasetRows.ts";

/** Hex digits of the hash that are used: 48 bits, which fit exactly into a number. */
const DIGITS = 12;

/**
 * The rows of each nonempty split in file order, by split column or else by a hash of the question. A question thus stays in its split
 * when rows are added or moved, and splits never share one. Shares are laid out in the order of split names.
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
  // The shares sum to 1 except for rounding.
  return (bounds.find(([, bound]) => place < bound) ?? bounds.at(-1))?.[0] ?? "train";
}
