/** The numbers of some series as a table of steps. */

import type { PartColumns } from "../../changes/rewardParts.ts";
import type { ColumnStore } from "../../charts/columns.ts";
import type { NumberTable } from "../../controls/export.ts";

/** With those of `parts`; as stored, not smoothed; steps count from 1. */
export function seriesTable(
  columns: ColumnStore,
  names: readonly { readonly head: string; readonly name: string }[],
  parts: readonly PartColumns[] = [],
): NumberTable {
  const steps = columns.steps();
  const values = [
    ...names.map(({ name }) => columns.values(name)),
    ...parts.flatMap(({ mean, low, high, rollouts }) => [mean, low, high, rollouts]),
  ];
  const rows = Array.from(steps, (step, row) => [
    step + 1,
    ...values.map((column) => {
      const value = column[row] ?? Number.NaN;
      return Number.isNaN(value) ? null : value;
    }),
  ]);
  const partHeads = parts.flatMap(({ label }) =>
    ["mean", "95 % low", "95 % high", "rollouts"].map((head) => `${label} ${head}`),
  );
  return { heads: ["step", ...names.map(({ head }) => head), ...partHeads], rows };
}
