/** The head and the rows of the table of rollouts. */

// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list stand freely, which a table forbids
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at its row

import type { RolloutRow } from "../../src/shared/dashboardTypes.ts";
import { Icon } from "../controls/icon.tsx";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import type { RolloutColumn } from "./rolloutRows.ts";

interface HeadProps {
  readonly dashboard: DashboardModel;
  readonly columns: readonly RolloutColumn[];
  /** Widths, for a CSS grid. */
  readonly template: string;
}

export function GridHead({ dashboard, columns, template }: HeadProps) {
  return (
    <div class="grid-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
      {columns.map((column) => (
        <HeadCell key={column.key} dashboard={dashboard} column={column} />
      ))}
    </div>
  );
}

interface RowProps {
  readonly id: string;
  readonly row: RolloutRow;
  readonly columns: readonly RolloutColumn[];
  /** Among all rows, from 0. */
  readonly position: number;
  readonly isChosen: boolean;
  readonly isCursor: boolean;
  readonly style: Readonly<Record<"gridTemplateColumns" | "transform", string>>;
  readonly open: () => void;
}

export function GridRow({ id, row, columns, position, isChosen, isCursor, style, open }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
    <div
      id={id}
      role="row"
      class="grid-row"
      aria-rowindex={position + 2}
      aria-selected={isChosen}
      data-cursor={isCursor}
      style={style}
      onClick={open}
    >
      {columns.map((column) => (
        <Cell key={column.key} column={column} row={row} />
      ))}
    </div>
  );
}

function HeadCell({
  dashboard,
  column: { key, isNumber },
}: {
  readonly dashboard: DashboardModel;
  readonly column: RolloutColumn;
}) {
  const { sorting } = dashboard.view.value;
  const isSorted = sorting.column === key;
  const direction = sorting.isDescending ? "descending" : "ascending";
  return (
    <div
      role="columnheader"
      class={isNumber ? "number" : ""}
      aria-sort={isSorted ? direction : "none"}
    >
      <button
        type="button"
        tabIndex={-1}
        onClick={() =>
          dashboard.update({
            sorting: {
              column: key,
              isDescending: isSorted ? !sorting.isDescending : isNumber && key !== "rollout",
            },
          })
        }
      >
        <span>{strings.trajectories.head[key]}</span>
        {isSorted ? <Icon name={sorting.isDescending ? "chevronDown" : "chevronUp"} /> : null}
      </button>
    </div>
  );
}

function Cell({ column, row }: { readonly column: RolloutColumn; readonly row: RolloutRow }) {
  const text = column.text(row);
  return (
    <div
      role="gridcell"
      class={column.isNumber ? "number" : ""}
      data-column={column.key}
      data-tone={toneOf(column, row)}
      title={column.isNumber ? undefined : text}
    >
      {text}
    </div>
  );
}

function toneOf({ key }: RolloutColumn, row: RolloutRow): string | undefined {
  if (key === "reward") return row.reward === null ? "bad" : "strong";
  if (key === "advantage" && row.advantage !== null) return row.advantage < 0 ? "below" : "above";
  if (key === "trainingUse" && row.trainingUse !== null && row.trainingUse !== "trained")
    return "quiet";
  if (key === "stop" && row.error !== null) return "bad";
  return key === "tools" && row.failedToolCalls > 0 ? "warning" : undefined;
}
