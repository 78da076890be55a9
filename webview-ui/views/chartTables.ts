/** The numbers of some series as a table of steps. */

import type { ColumnStore } from "../charts/columns.ts";
import type { NumberTable } from "./export.ts";

/** As stored, not smoothed; steps count from 1. */
export function seriesTable(
  columns: ColumnStore,
  names: readonly { readonly head: string; readonly name: string }[],
): NumberTable {
  const steps = columns.steps();
  const values = names.map(({ name }) => columns.values(name));
  const rows = Array.from(steps, (step, row) => [
    step + 1,
    ...values.map((column) => {
      const value = column[row] ?? Number.NaN;
      return Number.isNaN(value) ? null : value;
    }),
  ]);
  return { heads: ["step", ...names.map(({ head }) => head)], rows };
}
