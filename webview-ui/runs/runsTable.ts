/** The table as it is seen, to be saved. */

import type { CellTable } from "../controls/export.ts";
import type { RunsModel } from "./runsModel.ts";

/** Rows in their order and columns in theirs; numbers with all their digits, times as ISO 8601. */
export function runsTable(runs: RunsModel): CellTable {
  const columns = runs.shown.value;
  const rows = runs.items.value.flatMap((item) => (item.kind === "run" ? [item.row] : []));
  return {
    heads: columns.map(({ key }) => key),
    rows: rows.map((row) =>
      columns.map(({ key, value }) => {
        const own = value(row);
        if (key === "started" && typeof own === "number") return new Date(own).toISOString();
        return typeof own === "boolean" ? String(own) : own;
      }),
    ),
  };
}
