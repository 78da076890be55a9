/** The table of rollouts: sorted by its heads, as long as it likes. */

// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list stand freely, which a table forbids
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: the role depends on whether there are groups
// biome-ignore-all lint/a11y/noStaticElementInteractions: as above
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at its row

import { useEffect, useMemo, useRef } from "preact/hooks";
import type { RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import { isExample } from "../../../src/shared/outcome.ts";
import { rowAfter } from "../../controls/gridKeys.ts";
import { useGridCursor } from "../../controls/useVirtualRows.ts";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import { flipped } from "../../model/flipped.ts";
import { isTyping } from "../../model/keys.ts";
import { strings } from "../../strings/strings.ts";
import { markKey, toggleMark } from "./markEditor.tsx";
import { GridHead, GridRow, GroupRow } from "./rolloutGridRow.tsx";
import { type TableLine, tableLines } from "./rolloutGroups.ts";
import { ROLLOUT_COLUMNS, type RolloutColumn } from "./rolloutRows.ts";
import type { useTableContext } from "./tableContext.ts";

const ROW_PX = 28;
/** Left and right of a row together. */
const PADDING_PX = 20;
/** What the replay shows of its rollout, or what takes too much room beside it. */
const HIDDEN_BESIDE_REPLAY: ReadonlySet<string> = new Set([
  "taskText",
  "groupMean",
  "strip",
  "trainingUse",
]);

/** Of examples: nobody sampled or rewarded them. */
const HIDDEN_OF_EXAMPLES: ReadonlySet<string> = new Set([
  "reward",
  "groupMean",
  "advantage",
  "stop",
  "duration",
]);

interface GridProps extends DashboardProps {
  readonly rows: readonly RolloutRow[];
  readonly context: ReturnType<typeof useTableContext>;
}

export function RolloutGrid({ dashboard, rows, context }: GridProps) {
  const { rollout, hiddenColumns, isGrouped, closedGroups } = dashboard.view.value;
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useShownColumns(rows, hiddenColumns, rollout !== null);
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
  /** False for keys that mark nothing here; while a rollout is shown they mark that one. */
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
      // While a rollout is shown they continue to the next one.
      hasSingleKeys: dashboard.settings.value.hasSingleKeys && rollout === null,
    });
    const line = lines[cursor];
    if (target !== null) move(target);
    else if (line === undefined) return;
    else if (event.key === "Enter" && event.target === scroller.current) act(line);
    else if (!markLine(event.key, line)) return;
    event.preventDefault();
  };
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
        areExamples={rows[0] !== undefined && isExample(rows[0])}
        style={{ gridTemplateColumns: template, minWidth: leastWidth(columns) }}
      />
      <div
        class="grid-body"
        role="rowgroup"
        style={{ height: `${drawn.height}px`, minWidth: leastWidth(columns) }}
      >
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

/** Without those that are the same for every row; beside a replay without what the replay shows, so that the others fit. */
function useShownColumns(
  rows: readonly RolloutRow[],
  hidden: readonly string[],
  isBesideReplay: boolean,
): readonly RolloutColumn[] {
  const shownSource = rows[0]?.source;
  const areExamples = rows[0] !== undefined && isExample(rows[0]);
  // A file that was opened to be read may be in the tokens of no model.
  const haveTokens = !areExamples || rows.some(({ tokens }) => tokens > 0);
  const isMixed = new Set(rows.map(({ environment }) => environment)).size > 1;
  return useMemo(
    () =>
      ROLLOUT_COLUMNS.filter(
        ({ key, source }) =>
          !hidden.includes(key) &&
          (isMixed || key !== "environment") &&
          !(
            isBesideReplay &&
            HIDDEN_BESIDE_REPLAY.has(key) &&
            !(areExamples && key === "taskText")
          ) &&
          (haveTokens || (key !== "tokens" && key !== "strip")) &&
          !(areExamples && HIDDEN_OF_EXAMPLES.has(key)) &&
          (source === null || source === shownSource),
      ),
    [hidden, isMixed, isBesideReplay, shownSource, areExamples, haveTokens],
  );
}

/** Head and rows are as wide as each other, also where both are wider than the list. */
function leastWidth(columns: readonly RolloutColumn[]): string {
  const widths = columns.map(({ width }) => Number.parseInt(width.replace(/^\D*/, ""), 10));
  return `${widths.reduce((sum, width) => sum + width, PADDING_PX)}px`;
}

function toggleGroup(dashboard: DashboardModel, group: number): void {
  const { closedGroups } = dashboard.view.value;
  dashboard.update({ closedGroups: flipped(closedGroups, group) });
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
