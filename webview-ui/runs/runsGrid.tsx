/** The rows of the runs table: as many as there are, of which only those in sight are drawn. */

// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list stand freely, which a table forbids
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at its row

import { useRef, useState } from "preact/hooks";
import { useVirtualRows } from "../controls/useVirtualRows.ts";
import { isTyping } from "../model/keys.ts";
import { runsStrings as text } from "../strings/runs.ts";
import { type GridAction, gridKey } from "./gridKeys.ts";
import { columnTemplate, RunsGridHead } from "./runsGridHead.tsx";
import { GroupRow, RunRow } from "./runsGridRow.tsx";
import type { RunsModel } from "./runsModel.ts";
import type { TableItem } from "./tableItems.ts";

const ROW_PX = 28;

interface RunsProps {
  readonly runs: RunsModel;
}

export function RunsGrid({ runs }: RunsProps) {
  const hasRows = runs.items.value.length > 0;
  return hasRows ? <Rows runs={runs} /> : <p class="message">{text.noMatch}</p>;
}

/** A part of its own, so that what is in sight is that of the grid that is there now. */
function Rows({ runs }: RunsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const items = runs.items.value;
  const columns = runs.shown.value;
  const { cursor, virtual, move, act } = useCursor(runs, scroller);
  const template = columnTemplate(columns, runs.layout.value.widths);
  const onKey = (event: KeyboardEvent): void => {
    // A button in the head has keys of its own.
    if (event.target !== scroller.current || (event.altKey && !event.shiftKey)) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2);
    const hasSingleKeys = runs.hasSingleKeys.value;
    const key = gridKey(event, { at: cursor, count: items.length, page, hasSingleKeys });
    if (key === null || (isTyping(event) && key.kind !== "all")) return;
    event.preventDefault();
    act(key);
  };
  return (
    <div
      class="grid runs-grid"
      role="treegrid"
      ref={scroller}
      tabIndex={0}
      aria-label={`${text.grid}. ${text.keys}`}
      aria-multiselectable={true}
      aria-rowcount={items.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={rowId(cursor)}
      onKeyDown={onKey}
    >
      <RunsGridHead runs={runs} columns={columns} template={template} />
      <div class="grid-body" role="rowgroup" style={{ height: `${virtual.height}px` }}>
        {virtual.items.map(({ index, start }) => {
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
                move(index);
                if (event.shiftKey) act({ kind: "extend", to: index });
                else if (event.ctrlKey || event.metaKey) act({ kind: "toggle", at: index });
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The row that the keys act on, and what they do. */
function useCursor(runs: RunsModel, scroller: { readonly current: HTMLDivElement | null }) {
  const [at, setCursor] = useState(0);
  /** Where a range of chosen rows begins. */
  const anchor = useRef(0);
  const items = runs.items.value;
  const virtual = useVirtualRows(scroller, {
    count: items.length,
    rowHeight: ROW_PX,
    headHeight: ROW_PX,
  });
  const cursor = Math.min(at, Math.max(0, items.length - 1));
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(items.length - 1, to));
    setCursor(next);
    virtual.scrollTo(next);
  };
  const act = (key: GridAction): void => {
    switch (key.kind) {
      case "move":
        move(key.to);
        anchor.current = key.to;
        return;
      case "extend":
        move(key.to);
        runs.choose(withRange(runs, items, anchor.current, key.to));
        return;
      case "toggle":
        anchor.current = key.at;
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
  return { cursor, virtual, move, act };
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

/** Of a group, all of its runs. */
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
  else if (item !== undefined) runs.flipGroup(item.group.key);
}

function mark(runs: RunsModel, item: TableItem | undefined, what: "star" | "tags" | "note"): void {
  if (item?.kind !== "run") return;
  const { id, mark: own } = item.row;
  runs.send(what === "star" ? { kind: "star", id, isOn: !own.star } : { kind: "edit", id, what });
}

function rowId(index: number): string {
  return `run-row-${index}`;
}
