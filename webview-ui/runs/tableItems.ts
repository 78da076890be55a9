/** Rows of the runs table, sorted and grouped. */

import { groupBy } from "../../src/shared/groupBy.ts";
import type { RunsTableRow } from "../../src/shared/runsPage.ts";
import type { Sorting } from "../model/viewState.ts";
import type { RunGrouping } from "./layout.ts";
import { type RunColumn, settingText, variedKeys } from "./runColumns.ts";

export interface RunGroup {
  readonly key: string;
  /** The group's shared settings as text. */
  readonly label: string;
  readonly rows: readonly RunsTableRow[];
}

export type TableItem =
  | { readonly kind: "run"; readonly row: RunsTableRow; readonly isInGroup: boolean }
  | { readonly kind: "group"; readonly group: RunGroup; readonly isClosed: boolean };

export interface MeanAndSpread {
  readonly mean: number;
  /** Sample standard deviation; null below two values. */
  readonly spread: number | null;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** Rows without a value come last in either direction; ties keep their order. */
export function sortedRows(
  rows: readonly RunsTableRow[],
  column: RunColumn | undefined,
  isDescending: boolean,
): readonly RunsTableRow[] {
  if (column === undefined) return rows;
  const keyed = rows.map((row) => ({ row, value: column.value(row) }));
  const sign = isDescending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) {
      return Number(a.value === null) - Number(b.value === null);
    }
    if (typeof a.value === "number" && typeof b.value === "number") {
      return sign * (a.value - b.value);
    }
    return sign * collator.compare(String(a.value), String(b.value));
  });
  return keyed.map(({ row }) => row);
}

/** Groups rows by the setting's value, or, if `isOver`, by the values of all other settings. */
export function groupRows(
  rows: readonly RunsTableRow[],
  { key, isOver }: RunGrouping,
  settingKeys: readonly string[],
): readonly RunGroup[] {
  const keys = isOver ? settingKeys.filter((other) => other !== key) : [key];
  const groups = groupBy(rows, ({ settings }) =>
    JSON.stringify(keys.map((each) => settings[each] ?? null)),
  );
  // A head has room for a few settings, and those varied by a sweep distinguish its groups.
  const ordered = [...new Set([...variedKeys(rows, keys), ...keys])];
  const shownKeys = isOver ? differingKeys(ordered, [...groups.values()]) : keys;
  return [...groups].map(([own, members]) => ({
    key: own,
    label: labelOf(members[0], shownKeys),
    rows: members,
  }));
}

/** The items of the table; groups are sorted by the mean of the sorted column if it is numeric, else by their first rows. */
export function tableItems(
  rows: readonly RunsTableRow[],
  {
    grouping,
    closedGroups,
    settingKeys,
    column,
    sorting,
  }: {
    readonly grouping: RunGrouping | null;
    readonly closedGroups: readonly string[];
    readonly settingKeys: readonly string[];
    readonly column: RunColumn | undefined;
    readonly sorting: Sorting;
  },
): readonly TableItem[] {
  const sorted = sortedRows(rows, column, sorting.isDescending);
  if (grouping === null) return sorted.map((row) => ({ kind: "run", row, isInGroup: false }));
  const groups = groupRows(sorted, grouping, settingKeys);
  const inOrder = column?.isNumber ? byMean(groups, column, sorting.isDescending) : groups;
  return inOrder.flatMap((group): readonly TableItem[] => {
    const isClosed = closedGroups.includes(group.key);
    const head: TableItem = { kind: "group", group, isClosed };
    if (isClosed) return [head];
    return [head, ...group.rows.map((row) => ({ kind: "run" as const, row, isInGroup: true }))];
  });
}

/** The mean and spread of a column; null if it has no numbers. */
export function meanAndSpread(
  rows: readonly RunsTableRow[],
  column: Pick<RunColumn, "value">,
): MeanAndSpread | null {
  const values = rows.map(column.value).filter((value) => typeof value === "number");
  if (values.length === 0) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length === 1) return { mean, spread: null };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, spread: Math.sqrt(squares / (values.length - 1)) };
}

function byMean(
  groups: readonly RunGroup[],
  column: RunColumn,
  isDescending: boolean,
): readonly RunGroup[] {
  const lowest = isDescending ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const means = new Map(
    groups.map((group) => [group, meanAndSpread(group.rows, column)?.mean ?? lowest]),
  );
  const meanOf = (group: RunGroup): number => means.get(group) ?? lowest;
  return groups.toSorted((a, b) => (isDescending ? meanOf(b) - meanOf(a) : meanOf(a) - meanOf(b)));
}

/** Keys whose values differ between at least two groups. */
function differingKeys(
  keys: readonly string[],
  groups: readonly (readonly RunsTableRow[])[],
): readonly string[] {
  return keys.filter((key) => new Set(groups.map(([first]) => first?.settings[key])).size > 1);
}

function labelOf(row: RunsTableRow | undefined, keys: readonly string[]): string {
  return keys
    .map((key) => `${key.replace(/^.*\./, "")} = ${settingText(row?.settings[key])}`)
    .join(" · ");
}
