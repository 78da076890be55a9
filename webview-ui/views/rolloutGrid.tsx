/** The table of rollouts: sorted by its heads, as long as it likes. */

// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list stand freely, which a table forbids
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at its row

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RolloutRow } from "../../src/shared/dashboardTypes.ts";
import { Icon } from "../controls/icon.tsx";
import { useVirtualRows } from "../controls/useVirtualRows.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { isTyping } from "../model/keys.ts";
import { strings } from "../strings/strings.ts";
import { ROLLOUT_COLUMNS, type RolloutColumn } from "./rolloutRows.ts";

const ROW_PX = 28;

interface GridProps {
  readonly dashboard: DashboardModel;
  readonly rows: readonly RolloutRow[];
}

export function RolloutGrid({ dashboard, rows }: GridProps) {
  const { rollout, hiddenColumns } = dashboard.view.value;
  const scroller = useRef<HTMLDivElement>(null);
  const shownSource = rows[0]?.source;
  const isMixed = new Set(rows.map(({ environment }) => environment)).size > 1;
  const columns = useMemo(
    // One environment says nothing.
    () =>
      ROLLOUT_COLUMNS.filter(
        ({ key, source }) =>
          !hiddenColumns.includes(key) &&
          (isMixed || key !== "environment") &&
          (source === null || source === shownSource),
      ),
    [hiddenColumns, isMixed, shownSource],
  );
  const chosen = rows.findIndex((row) => isSame(row, rollout));
  const [cursor, setCursor] = useState(Math.max(0, chosen));
  const at = Math.min(cursor, Math.max(0, rows.length - 1));
  const virtual = useVirtualRows(scroller, {
    count: rows.length,
    rowHeight: ROW_PX,
    headHeight: ROW_PX,
  });
  useEffect(() => {
    if (chosen < 0) return;
    setCursor(chosen);
    virtual.scrollTo(chosen);
  }, [chosen]);

  const move = (to: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setCursor(next);
    virtual.scrollTo(next);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (isTyping(event)) return;
    const row = rows[at];
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2);
    const target = rowAfter(event.key, at, {
      count: rows.length,
      page,
      hasSingleKeys: dashboard.settings.value.hasSingleKeys,
    });
    if (target !== null) move(target);
    else if (event.key === "Enter" && row !== undefined && event.target === scroller.current)
      open(dashboard, row);
    else return;
    event.preventDefault();
  };
  const template = columns.map(({ width }) => width).join(" ");
  return (
    <div
      class="grid"
      role="grid"
      ref={scroller}
      tabIndex={0}
      aria-label={strings.trajectories.grid}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={rows[at] === undefined ? undefined : rowId(at)}
      onKeyDown={onKey}
    >
      <div class="grid-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
        {columns.map((column) => (
          <Head key={column.key} dashboard={dashboard} column={column} />
        ))}
      </div>
      <div class="grid-body" role="rowgroup" style={{ height: `${virtual.height}px` }}>
        {virtual.items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
            <div
              key={index}
              id={rowId(index)}
              role="row"
              class="grid-row"
              aria-rowindex={index + 2}
              aria-selected={index === chosen}
              data-cursor={index === at}
              style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
              onClick={() => {
                setCursor(index);
                open(dashboard, row);
              }}
            >
              {columns.map((column) => (
                <Cell key={column.key} column={column} row={row} />
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Head({
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

interface GridSize {
  readonly count: number;
  readonly page: number;
  readonly hasSingleKeys: boolean;
}

function rowAfter(
  key: string,
  at: number,
  { count, page, hasSingleKeys }: GridSize,
): number | null {
  switch (key) {
    case "ArrowDown":
      return at + 1;
    case "ArrowUp":
      return at - 1;
    case "j":
      return hasSingleKeys ? at + 1 : null;
    case "k":
      return hasSingleKeys ? at - 1 : null;
    case "PageDown":
      return at + page;
    case "PageUp":
      return at - page;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}

/** The step stays chosen from now on: what one reads must not change when the next step begins. */
function open(dashboard: DashboardModel, { source, step, group, rollout }: RolloutRow): void {
  dashboard.update({ rolloutSet: { source, step }, rollout: { group, rollout } });
}

function isSame(
  row: RolloutRow,
  key: { readonly group: number; readonly rollout: number } | null,
): boolean {
  return key !== null && row.group === key.group && row.rollout === key.rollout;
}

function rowId(index: number): string {
  return `rollout-row-${index}`;
}
