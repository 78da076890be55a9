/** The rows of the runs table; only visible rows are rendered. */

// biome-ignore-all lint/a11y/useSemanticElements: virtual rows are positioned freely, which a table forbids
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at its row
// biome-ignore-all lint/a11y/useFocusableInteractive: the buttons in the heads take the focus

import * as l10n from "@vscode/l10n";
import { useRef, useState } from "preact/hooks";
import type { RunsTableRow } from "../../src/shared/runsPage.ts";
import { type GridSize, rowAfter } from "../controls/gridKeys.ts";
import { Icon } from "../controls/icon.tsx";
import { useGridCursor } from "../controls/useVirtualRows.ts";
import { isTyping } from "../model/keys.ts";
import { dragged, dropPlace, followPointer, movedTo } from "./dragMove.ts";
import { inOrder, type RunColumn } from "./runColumns.ts";
import { GroupRow, menuContext, RunRow } from "./runsGridRow.tsx";
import type { RunsModel, RunsProps } from "./runsModel.ts";
import type { TableItem } from "./tableItems.ts";

const ROW_PX = 28;

export function RunsGrid({ runs }: RunsProps) {
  const hasRows = runs.items.value.length > 0;
  return hasRows ? (
    <Rows runs={runs} />
  ) : (
    <p class="message runs-grid">{l10n.t("No run matches the filter.")}</p>
  );
}

/** A component of its own, so that virtual scrolling is tied to the current grid element. */
function Rows({ runs }: RunsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const items = runs.items.value;
  const columns = runs.shown.value;
  const { cursor, rows, height, page, act } = useCursor(runs, scroller);
  const template = columnTemplate(columns, runs.layout.value.widths);
  const onKey = (event: KeyboardEvent): void => {
    // Buttons in the head have keys of their own.
    if (event.target !== scroller.current || (event.altKey && !event.shiftKey)) return;
    const hasSingleKeys = runs.hasSingleKeys.value;
    const key = gridKey(event, { at: cursor, count: items.length, page: page(), hasSingleKeys });
    if (key === null || (isTyping(event) && key.kind !== "all")) return;
    event.preventDefault();
    // Otherwise the editor would select all text of the page.
    if (key.kind === "all") event.stopPropagation();
    act(key);
  };
  return (
    <div
      class="grid runs-grid pane"
      role="treegrid"
      ref={scroller}
      tabIndex={0}
      aria-label={`${l10n.t("Runs")}. ${l10n.t(
        "Arrow keys move, Space selects, Shift with arrows selects several, Enter opens the dashboard, s stars, t edits tags, n the note.",
      )}`}
      aria-multiselectable={true}
      aria-rowcount={items.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={rowId(cursor)}
      data-vscode-context={menuContext(rowOf(items[cursor]), runs.layout.value.chosen)}
      onKeyDown={onKey}
      onContextMenu={(event) => {
        // A right click below the rows belongs to no row. Key events have button 0.
        if (event.target === scroller.current && event.button !== 0) event.preventDefault();
      }}
    >
      <div
        class="grid-head"
        role="row"
        aria-rowindex={1}
        style={{ gridTemplateColumns: template }}
        data-vscode-context={menuContext(null)}
      >
        <div role="columnheader" class="run-choice row">
          <span class="visually-hidden">{l10n.t("Compare")}</span>
        </div>
        {columns.map((column) => (
          <HeadCell key={column.key} runs={runs} column={column} />
        ))}
      </div>
      <div
        class="grid-body"
        role="rowgroup"
        style={{ height: `${height}px` }}
        data-vscode-context={menuContext(null)}
      >
        {rows.map(({ index, start }) => {
          const item = items[index];
          const common = {
            runs,
            columns,
            id: rowId(index),
            position: index,
            isCursor: index === cursor,
            style: { gridTemplateColumns: template, transform: `translateY(${start}px)` },
          };
          if (item === undefined) return null;
          if (item.kind === "group") {
            const { group, isClosed } = item;
            return <GroupRow key={index} {...common} group={group} isClosed={isClosed} />;
          }
          return (
            <RunRow
              key={index}
              {...common}
              row={item.row}
              isInGroup={item.isInGroup}
              click={(event) => {
                act({ kind: event.shiftKey ? "extend" : "move", to: index });
                if (event.shiftKey) return;
                if (event.ctrlKey || event.metaKey) act({ kind: "toggle", at: index });
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

type GridAction =
  | { readonly kind: "move" | "extend"; readonly to: number }
  | { readonly kind: "toggle"; readonly at: number }
  | { readonly kind: "all" | "open" | "star" | "tags" | "note" };

interface GridPlace extends GridSize {
  readonly at: number;
}

/** Null for keys without a meaning here. */
export function gridKey(
  {
    key,
    shiftKey,
    ctrlKey,
    metaKey,
  }: Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey">,
  { at, ...size }: GridPlace,
): GridAction | null {
  const isCommand = ctrlKey || metaKey;
  if (isCommand) return key.toLowerCase() === "a" ? { kind: "all" } : null;
  if (key === " ") return { kind: "toggle", at };
  if (key === "Enter") return { kind: "open" };
  const single = ({ s: "star", t: "tags", n: "note" } as const)[key];
  if (single !== undefined) return size.hasSingleKeys ? { kind: single } : null;
  const to = rowAfter(key, at, size);
  if (to === null) return null;
  return { kind: shiftKey ? "extend" : "move", to: Math.max(0, Math.min(size.count - 1, to)) };
}

/** The row that keys act on, and their actions. Rows are tracked by id because they move while runs are in progress. */
function useCursor(runs: RunsModel, scroller: { readonly current: HTMLDivElement | null }) {
  const [current, setCurrent] = useState<string | null>(null);
  /** First row of a range selection. */
  const anchor = useRef<string | null>(null);
  const items = runs.items.value;
  const placeOf = (id: string | null): number | null => {
    const index = items.findIndex((item) => itemId(item) === id);
    return index < 0 ? null : index;
  };
  const idAt = (index: number): string | null => {
    const item = items[index];
    return item === undefined ? null : itemId(item);
  };
  const { cursor: lastPlace, ...grid } = useGridCursor(scroller, {
    count: items.length,
    rowHeight: ROW_PX,
    headHeight: ROW_PX,
  });
  const cursor = placeOf(current) ?? lastPlace;
  const move = (to: number): void => {
    grid.move(to);
    setCurrent(idAt(to));
  };
  const act = (key: GridAction): void => {
    switch (key.kind) {
      case "move":
        move(key.to);
        anchor.current = idAt(key.to);
        return;
      case "extend":
        move(key.to);
        runs.choose(withRange(runs, items, placeOf(anchor.current) ?? cursor, key.to));
        return;
      case "toggle":
        anchor.current = idAt(key.at);
        toggle(runs, items[key.at]);
        return;
      case "all":
        runs.choose(withRange(runs, items, 0, items.length - 1));
        return;
      case "open":
        open(runs, items[cursor]);
        return;
      default:
        mark(runs, items[cursor], key.kind);
    }
  };
  return { ...grid, cursor, act };
}

/** Null for a group's head. */
function rowOf(item: TableItem | undefined): RunsTableRow | null {
  return item?.kind === "run" ? item.row : null;
}

function itemId(item: TableItem): string {
  return item.kind === "run" ? `run ${item.row.id}` : `group ${item.group.key}`;
}

function withRange(
  runs: RunsModel,
  items: readonly TableItem[],
  from: number,
  to: number,
): readonly string[] {
  const range = items.slice(Math.min(from, to), Math.max(from, to) + 1);
  const ids = range.flatMap((item) => (item.kind === "run" ? [item.row.id] : []));
  return [...new Set([...runs.layout.value.chosen, ...ids])];
}

/** Toggles a run, or all runs of a group. */
function toggle(runs: RunsModel, item: TableItem | undefined): void {
  if (item?.kind === "run") runs.toggle(item.row.id);
  else if (item !== undefined) {
    const ids = item.group.rows.map(({ id }) => id);
    const { chosen } = runs.layout.value;
    const others = chosen.filter((id) => !ids.includes(id));
    const areAllChosen = chosen.length - others.length === ids.length;
    runs.choose(areAllChosen ? others : [...others, ...ids]);
  }
}

function open(runs: RunsModel, item: TableItem | undefined): void {
  if (item?.kind === "run") runs.send({ kind: "open", id: item.row.id });
  else if (item !== undefined) runs.toggleGroup(item.group.key);
}

function mark(runs: RunsModel, item: TableItem | undefined, what: "star" | "tags" | "note"): void {
  if (item?.kind !== "run") return;
  const { id, mark: own } = item.row;
  runs.send(what === "star" ? { kind: "star", id, isOn: !own.star } : { kind: "edit", id, what });
}

function rowId(index: number): string {
  return `run-row-${index}`;
}

const CHOICE_PX = 58;
const MIN_PX = 48;
const MAX_PX = 800;
/** Width change per key press. */
const WIDER_PX = 16;

/** Column widths for a CSS grid. */
function columnTemplate(
  columns: readonly RunColumn[],
  widths: Readonly<Record<string, number>>,
): string {
  const own = columns.map(({ key, width }) => `${widths[key] ?? width}px`);
  return [`${CHOICE_PX}px`, ...own].join(" ");
}

function HeadCell({ runs, column }: RunsProps & { readonly column: RunColumn }) {
  const { key, head, hint, isNumber, section } = column;
  const { sorting } = runs.layout.value;
  const isSorted = sorting.column === key;
  const isDescending = isSorted ? !sorting.isDescending : isNumber;
  return (
    <div
      role="columnheader"
      class={isNumber ? "number" : ""}
      data-column={key}
      aria-sort={isSorted ? (sorting.isDescending ? "descending" : "ascending") : "none"}
      {...dropPlace("column", (other) => move(runs, other, key))}
    >
      <button
        type="button"
        {...dragged("column", key)}
        title={`${hint}. ${l10n.t("Alt with an arrow key moves the column, Shift with one changes its width.")}`}
        onClick={() => runs.update({ sorting: { column: key, isDescending } })}
        onKeyDown={(event) => headKey(event, runs, column)}
      >
        <span class={section === "settings" ? "end-shown" : undefined}>
          <bdi>{head}</bdi>
        </span>
        {isSorted ? <Icon name={sorting.isDescending ? "chevronDown" : "chevronUp"} /> : null}
      </button>
      <span class="column-edge" onPointerDown={(event) => resize(event, runs, column)} />
    </div>
  );
}

/** Alt+arrow moves the column, Shift+arrow resizes it, an arrow alone goes to the next head. */
function headKey(event: KeyboardEvent, runs: RunsModel, column: RunColumn): void {
  const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (direction === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.altKey) moveBy(runs, column.key, direction);
  else if (event.shiftKey) setWidth(runs, column, widthOf(runs, column) + direction * WIDER_PX);
  else {
    const cell = (event.currentTarget as Element).parentElement; // the button
    const next = direction < 0 ? cell?.previousElementSibling : cell?.nextElementSibling;
    next?.querySelector("button")?.focus();
  }
}

function resize(event: PointerEvent, runs: RunsModel, column: RunColumn): void {
  event.preventDefault();
  const start = event.clientX - widthOf(runs, column);
  followPointer(event, ({ clientX }) => setWidth(runs, column, clientX - start));
}

function widthOf(runs: RunsModel, { key, width }: RunColumn): number {
  return runs.layout.peek().widths[key] ?? width;
}

function setWidth(runs: RunsModel, { key }: RunColumn, width: number): void {
  const bounded = Math.round(Math.max(MIN_PX, Math.min(MAX_PX, width)));
  runs.update({ widths: { ...runs.layout.peek().widths, [key]: bounded } });
}

function move(runs: RunsModel, key: string, target: string): void {
  runs.update({ order: movedTo(orderedKeys(runs), key, target) });
}

/** Swaps the column with its visible neighbor. */
function moveBy(runs: RunsModel, key: string, direction: number): void {
  const shown = runs.shown.peek().map((column) => column.key);
  const neighbor = shown[shown.indexOf(key) + direction];
  if (neighbor !== undefined) move(runs, key, neighbor);
}

function orderedKeys(runs: RunsModel): readonly string[] {
  return inOrder(runs.columns.peek(), runs.layout.peek().order).map(({ key }) => key);
}
