/** The heads of the runs table: a click sorts, a drag of the edge resizes, a drag of the head moves the column. */

// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list stand freely, which a table forbids
// biome-ignore-all lint/a11y/useFocusableInteractive: the buttons in the heads take the focus

import { Icon } from "../controls/icon.tsx";
import { runsStrings as text } from "../strings/runs.ts";
import { dragged, dropPlace, movedTo } from "./dragMove.ts";
import { inOrder, type RunColumn } from "./runColumns.ts";
import type { RunsModel } from "./runsModel.ts";

interface HeadProps {
  readonly runs: RunsModel;
  readonly columns: readonly RunColumn[];
  /** Widths, for a CSS grid. */
  readonly template: string;
}

const CHOICE_PX = 58;
const LEAST_PX = 48;
const MOST_PX = 800;
/** By a key. */
const WIDER_PX = 16;

export function columnTemplate(
  columns: readonly RunColumn[],
  widths: Readonly<Record<string, number>>,
): string {
  const own = columns.map(({ key, width }) => `${widths[key] ?? width}px`);
  return [`${CHOICE_PX}px`, ...own].join(" ");
}

export function RunsGridHead({ runs, columns, template }: HeadProps) {
  return (
    <div class="grid-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
      <div role="columnheader" class="run-choice">
        <span class="visually-hidden">{text.chooseColumn}</span>
      </div>
      {columns.map((column) => (
        <HeadCell key={column.key} runs={runs} column={column} />
      ))}
    </div>
  );
}

function HeadCell({ runs, column }: { readonly runs: RunsModel; readonly column: RunColumn }) {
  const { key, head, hint, isNumber } = column;
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
        title={`${hint}. ${text.headKeys}`}
        onClick={() => runs.update({ sorting: { column: key, isDescending } })}
        onKeyDown={(event) => headKey(event, runs, column)}
      >
        <span>{head}</span>
        {isSorted ? <Icon name={sorting.isDescending ? "chevronDown" : "chevronUp"} /> : null}
      </button>
      <span class="column-edge" onPointerDown={(event) => resize(event, runs, column)} />
    </div>
  );
}

/** Alt moves, Shift resizes, an arrow alone goes to the next head. */
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
  const edge = event.currentTarget as Element; // of the head
  edge.setPointerCapture(event.pointerId);
  const drag = (moved: Event): void => {
    if (moved instanceof PointerEvent) setWidth(runs, column, moved.clientX - start);
  };
  edge.addEventListener("pointermove", drag);
  edge.addEventListener("lostpointercapture", () => edge.removeEventListener("pointermove", drag), {
    once: true,
  });
}

function widthOf(runs: RunsModel, { key, width }: RunColumn): number {
  return runs.layout.peek().widths[key] ?? width;
}

function setWidth(runs: RunsModel, { key }: RunColumn, width: number): void {
  const bounded = Math.round(Math.max(LEAST_PX, Math.min(MOST_PX, width)));
  runs.update({ widths: { ...runs.layout.peek().widths, [key]: bounded } });
}

function move(runs: RunsModel, key: string, target: string): void {
  runs.update({ order: movedTo(orderedKeys(runs), key, target) });
}

/** To the place of the next column that is shown. */
function moveBy(runs: RunsModel, key: string, direction: number): void {
  const shown = runs.shown.peek().map((column) => column.key);
  const neighbor = shown[shown.indexOf(key) + direction];
  if (neighbor !== undefined) move(runs, key, neighbor);
}

function orderedKeys(runs: RunsModel): readonly string[] {
  return inOrder(runs.columns.peek(), runs.layout.peek().order).map(({ key }) => key);
}
