/** The table of rollouts: sorted by its heads, as long as it likes. */

// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list stand freely, which a table forbids
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at its row

import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RolloutRow } from "../../src/shared/dashboardTypes.ts";
import { useVirtualRows } from "../controls/useVirtualRows.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { isTyping } from "../model/keys.ts";
import { strings } from "../strings/strings.ts";
import { GridHead, GridRow } from "./rolloutGridRow.tsx";
import { ROLLOUT_COLUMNS, type RolloutColumn } from "./rolloutRows.ts";

const ROW_PX = 28;

interface GridProps {
  readonly dashboard: DashboardModel;
  readonly rows: readonly RolloutRow[];
}

export function RolloutGrid({ dashboard, rows }: GridProps) {
  const { rollout, hiddenColumns } = dashboard.view.value;
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useShownColumns(rows, hiddenColumns, rollout !== null);
  const chosen = rows.findIndex((row) => isSame(row, rollout));
  const { virtual, cursor, setCursor, move } = useCursor(scroller, rows.length, chosen);
  const onKey = (event: KeyboardEvent): void => {
    if (isTyping(event)) return;
    const target = rowAfter(event.key, cursor, {
      count: rows.length,
      page: Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2),
      hasSingleKeys: dashboard.settings.value.hasSingleKeys,
    });
    const row = rows[cursor];
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
      aria-activedescendant={rows[cursor] === undefined ? undefined : rowId(cursor)}
      onKeyDown={onKey}
    >
      <GridHead dashboard={dashboard} columns={columns} template={template} />
      <div class="grid-body" role="rowgroup" style={{ height: `${virtual.height}px` }}>
        {virtual.items.map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <GridRow
              key={index}
              id={rowId(index)}
              row={row}
              columns={columns}
              position={index}
              isChosen={index === chosen}
              isCursor={index === cursor}
              style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
              open={() => {
                setCursor(index);
                open(dashboard, row);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Without those that are the same for every row; beside a replay without what the replay shows, so that the others fit. */
function useShownColumns(
  rows: readonly RolloutRow[],
  hidden: readonly string[],
  isBesideReplay: boolean,
): readonly RolloutColumn[] {
  const shownSource = rows[0]?.source;
  const isMixed = new Set(rows.map(({ environment }) => environment)).size > 1;
  return useMemo(
    () =>
      ROLLOUT_COLUMNS.filter(
        ({ key, source }) =>
          !hidden.includes(key) &&
          (isMixed || key !== "environment") &&
          !(isBesideReplay && key === "trainingUse") &&
          (source === null || source === shownSource),
      ),
    [hidden, isMixed, isBesideReplay, shownSource],
  );
}

/** The row that the keys act on; it follows the chosen one, and stays in view. */
function useCursor(scroller: RefObject<HTMLDivElement | null>, count: number, chosen: number) {
  const [row, setCursor] = useState(Math.max(0, chosen));
  const virtual = useVirtualRows(scroller, { count, rowHeight: ROW_PX, headHeight: ROW_PX });
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(count - 1, to));
    setCursor(next);
    virtual.scrollTo(next);
  };
  useEffect(() => {
    if (chosen >= 0) move(chosen);
  }, [chosen]);
  return { virtual, cursor: Math.min(row, Math.max(0, count - 1)), setCursor, move };
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
