/** The virtual table of rollouts, sorted by its heads. */

// biome-ignore-all lint/a11y/useSemanticElements: virtual rows are positioned freely, which a table forbids
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: the role depends on whether there are groups
// biome-ignore-all lint/a11y/noStaticElementInteractions: as above
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at its row

import { useEffect, useMemo, useRef } from "preact/hooks";
import type { RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import type { RolloutPosition } from "../../../src/shared/rolloutSet.ts";
import { rowAfter } from "../../controls/gridKeys.ts";
import { useMedia } from "../../controls/useMedia.ts";
import { useGridCursor } from "../../controls/useVirtualRows.ts";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import { isTyping } from "../../model/keys.ts";
import { toggled } from "../../model/toggled.ts";
import type { ViewState } from "../../model/viewState.ts";
import { strings } from "../../strings/strings.ts";
import { markKey, toggleMark } from "./markEditor.tsx";
import { GridHead, GridRow, GroupRow } from "./rolloutGridRow.tsx";
import { type TableLine, tableLines } from "./rolloutGroups.ts";
import { areExamples, columnsOf, type RolloutColumn } from "./rolloutRows.ts";
import type { TableContext, useTableContext } from "./tableContext.ts";

const ROW_PX = 28;
/** Horizontal padding of a row, both sides together. */
const PADDING_PX = 20;
/** The list's share of the page beside a replay; keep in sync with `trajectories.css`. */
const SHARE_BESIDE_REPLAY = 0.46;
interface GridProps extends DashboardProps {
  readonly rows: readonly RolloutRow[];
  readonly context: ReturnType<typeof useTableContext>;
}

export function RolloutGrid({ dashboard, rows, context }: GridProps) {
  const { rollout, isGrouped, closedGroups } = dashboard.view.value;
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useShownColumns(rows, context, dashboard.view.value);
  const lines = useMemo(
    () => tableLines(rows, isGrouped, closedGroups),
    [rows, isGrouped, closedGroups],
  );
  const chosen = lines.findIndex(({ kind, row }) => kind === "rollout" && isSame(row, rollout));
  const size = { count: lines.length, rowHeight: ROW_PX, headHeight: ROW_PX };
  const { cursor, setCursor, move, page, ...drawn } = useGridCursor(
    scroller,
    size,
    Math.max(0, chosen),
  );
  useEffect(() => {
    if (chosen >= 0) move(chosen);
  }, [chosen]);
  const inSight = drawn.rows.flatMap(({ index }) => lines[index]?.row ?? []);
  const sight = `${inSight[0]?.step}/${drawn.rows[0]?.index}/${drawn.rows.length}`;
  useEffect(() => context.look(inSight), [sight, lines]);
  const act = (line: TableLine): void => {
    if (line.kind === "rollout") open(dashboard, line.row);
    else toggleGroup(dashboard, line.row.group);
  };
  /** Returns false for keys that set no mark here. While a rollout is open, they mark that one instead. */
  const markLine = (key: string, { kind, row }: TableLine): boolean => {
    const mark = dashboard.settings.value.hasSingleKeys ? markKey(key) : null;
    if (mark === null || rollout !== null || kind === "group") return false;
    toggleMark(dashboard, row, mark, context.markOf(row));
    return true;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (isTyping(event)) return;
    const target = rowAfter(event.key, cursor, {
      count: lines.length,
      page: page(),
      // While a rollout is open, single keys move to the next one.
      hasSingleKeys: dashboard.settings.value.hasSingleKeys && rollout === null,
    });
    const line = lines[cursor];
    if (target !== null) move(target);
    else if (line === undefined) return;
    else if (event.key === "Enter" && event.target === scroller.current) act(line);
    else if (!markLine(event.key, line)) return;
    event.preventDefault();
  };
  const minWidth = `${rowWidth(columns)}px`;
  const template = columns.map(({ width }) => width).join(" ");
  return (
    <div
      class="grid pane"
      role={isGrouped ? "treegrid" : "grid"}
      ref={scroller}
      tabIndex={0}
      aria-label={strings.trajectories.grid}
      aria-rowcount={lines.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={lines[cursor] === undefined ? undefined : rowId(cursor)}
      onKeyDown={onKey}
    >
      <GridHead
        dashboard={dashboard}
        columns={columns}
        areExamples={areExamples(rows)}
        style={{ gridTemplateColumns: template, minWidth }}
      />
      <div class="grid-body" role="rowgroup" style={{ height: `${drawn.height}px`, minWidth }}>
        {drawn.rows.map(({ index, start }) => {
          const line = lines[index];
          if (line === undefined) return null;
          const shared = {
            id: rowId(index),
            position: index,
            context,
            isCursor: index === cursor,
            open: () => {
              setCursor(index);
              act(line);
            },
          };
          const transform = `translateY(${start}px)`;
          return line.kind === "group" ? (
            <GroupRow
              key={index}
              {...shared}
              line={line}
              columnCount={columns.length}
              style={{ transform }}
            />
          ) : (
            <GridRow
              key={index}
              {...shared}
              row={line.row}
              columns={columns}
              level={isGrouped ? 2 : undefined}
              isChosen={index === chosen}
              style={{ gridTemplateColumns: template, transform }}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Beside a replay, the task column is dropped if space is tight, because the replay shows the task. */
function useShownColumns(
  rows: readonly RolloutRow[],
  { markOf }: Pick<TableContext, "markOf">,
  { rollout, hiddenColumns }: Pick<ViewState, "rollout" | "hiddenColumns">,
): readonly RolloutColumn[] {
  const isBesideReplay = rollout !== null;
  const columns = useMemo(
    () => columnsOf(rows, markOf, { isBesideReplay, hidden: hiddenColumns }),
    [rows, markOf, isBesideReplay, hiddenColumns],
  );
  const least = Math.ceil(rowWidth(columns) / SHARE_BESIDE_REPLAY);
  const hasRoom = useMedia(`(min-width: ${least}px)`);
  const isTaskLeftOut = isBesideReplay && !hasRoom && !areExamples(rows);
  return useMemo(
    () => (isTaskLeftOut ? columns.filter(({ key }) => key !== "taskText") : columns),
    [columns, isTaskLeftOut],
  );
}

/** Gives head and rows the same width, even if both are wider than the list. */
function rowWidth(columns: readonly RolloutColumn[]): number {
  const widths = columns.map(({ width }) => Number.parseInt(width.replace(/^\D*/, ""), 10));
  return widths.reduce((sum, width) => sum + width, PADDING_PX);
}

function toggleGroup(dashboard: DashboardModel, group: number): void {
  const { closedGroups } = dashboard.view.value;
  dashboard.update({ closedGroups: toggled(closedGroups, group) });
}

/** Pins the step, so that the open rollout does not change when the next step begins. */
function open(dashboard: DashboardModel, { source, step, group, rollout }: RolloutRow): void {
  dashboard.update({ rolloutSet: { source, step }, rollout: { group, rollout } });
}

function isSame(row: RolloutRow, key: RolloutPosition | null): boolean {
  return key !== null && row.group === key.group && row.rollout === key.rollout;
}

function rowId(index: number): string {
  return `rollout-row-${index}`;
}
