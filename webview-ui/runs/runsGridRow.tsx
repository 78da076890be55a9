/** A row of the runs table: a run, or the head of a group with its means. */

// biome-ignore-all lint/a11y/useSemanticElements: virtual rows are positioned freely, which a table forbids
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at its row
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid takes the keys

import * as l10n from "@vscode/l10n";
import type { RunsTableRow } from "../../src/shared/runsPage.ts";
import { Icon } from "../controls/icon.tsx";
import { MiddleCut } from "../controls/middleCut.tsx";
import { Swatch } from "../controls/swatch.tsx";
import { runsStrings as text } from "../strings/runs.ts";
import { visibleLine } from "../text/visible.ts";
import type { LineageCell } from "./lineage.ts";
import type { RunColumn } from "./runColumns.ts";
import { runLook } from "./runLook.ts";
import type { RunsModel, RunsProps } from "./runsModel.ts";
import { meanAndSpread, type RunGroup } from "./tableItems.ts";

interface CommonProps extends RunsProps {
  readonly columns: readonly RunColumn[];
  readonly id: string;
  /** Position among all rows, from 0. */
  readonly position: number;
  readonly isCursor: boolean;
  readonly style: Readonly<Record<"gridTemplateColumns" | "transform", string>>;
}

interface RunRowProps extends CommonProps {
  readonly row: RunsTableRow;
  readonly isInGroup: boolean;
  readonly click: (event: MouseEvent) => void;
}

export function RunRow(props: RunRowProps) {
  const { runs, columns, id, position, isCursor, style, row, isInGroup, click } = props;
  const look = runs.lookOf(row.id);
  const isChosen = runs.layout.value.chosen.includes(row.id);
  return (
    <div
      id={id}
      role="row"
      class="grid-row"
      aria-rowindex={position + 2}
      aria-selected={isChosen}
      data-cursor={isCursor}
      data-in-group={isInGroup}
      style={style}
      data-vscode-context={menuContext(row)}
      onClick={click}
      onDblClick={({ target }) => {
        if (!isControl(target)) runs.send({ kind: "open", id: row.id });
      }}
    >
      <div role="gridcell" class="run-choice row">
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isChosen}
          aria-label={l10n.t("Compare {0}", visibleLine(row.name))}
          onClick={(event) => {
            event.stopPropagation();
            runs.toggle(row.id);
          }}
        />
        {look === null ? null : <Swatch {...runLook(look)} />}
      </div>
      {columns.map((column) => cellOf(runs, column, row))}
    </div>
  );
}

/** Two quick clicks on a control of a row are not a double click on the row. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, button, a") !== null;
}

/**
 * Context for the conditions and commands of the editor's menu. The editor merges the contexts of surrounding elements, so only the
 * grid has `chosen`, and a row without a run must say so.
 */
export function menuContext(row: RunsTableRow | null, chosen?: readonly string[]): string {
  return JSON.stringify({
    run: row?.id ?? null,
    viewItem: row?.words ?? "",
    preventDefaultContextMenuItems: row !== null,
    chosen,
  });
}

/** Not a component: a first screen has hundreds of cells, and a component costs more than its content. */
function cellOf(runs: RunsModel, column: RunColumn, row: RunsTableRow) {
  const { key, isNumber } = column;
  if (key === "star") return starOf(runs, row);
  const shown = column.text(row);
  if (key === "name") {
    return (
      <div key={key} role="gridcell" data-column={key}>
        {runs.isInEditor ? (
          <MiddleCut text={shown} />
        ) : (
          <a href={`run?id=${row.id}`} tabIndex={-1} onClick={(event) => event.stopPropagation()}>
            <MiddleCut text={shown} />
          </a>
        )}
      </div>
    );
  }
  if (key === "lineage") {
    return (
      <div key={key} role="gridcell" class="lineage" data-column={key} title={shown}>
        {linesOf(runs.lineage.value.get(row.id))}
        <MiddleCut text={shown} />
      </div>
    );
  }
  const { sweep } = row;
  if (key === "sweep" && sweep !== null && !sweep.isStages) {
    return (
      <div key={key} role="gridcell" data-column={key}>
        <button
          type="button"
          class="link"
          tabIndex={-1}
          title={text.sweepHint}
          onClick={(event) => {
            event.stopPropagation();
            runs.update({ sweep: sweep.id });
          }}
        >
          {shown}
        </button>
      </div>
    );
  }
  if (key === "tags" || key === "note") {
    return (
      <div
        key={key}
        role="gridcell"
        data-column={key}
        title={`${shown} ${l10n.t("Double-click to edit")}`.trim()}
        onDblClick={(event) => {
          event.stopPropagation();
          runs.send({ kind: "edit", id: row.id, what: key });
        }}
      >
        {shown}
      </div>
    );
  }
  return (
    <div
      key={key}
      role="gridcell"
      class={isNumber ? "number" : ""}
      data-column={key}
      data-tone={toneOf(key, row)}
      title={isNumber ? undefined : shown}
    >
      {shown}
    </div>
  );
}

const LANE_PX = 9;
const MIDDLE = 14;

function linesOf(cell: LineageCell | undefined) {
  if (cell === undefined) return null;
  const { lane, up, down, joins } = cell;
  const x = (of: number): number => 5 + of * LANE_PX;
  const width = x(Math.max(lane, joins ?? 0, ...up, ...down)) + 5;
  const paths = [
    ...up.map((of) => `M${x(of)} 0V${MIDDLE}`),
    ...down.map((of) => `M${x(of)} ${MIDDLE}V${2 * MIDDLE}`),
    ...(joins === null ? [] : [`M${x(joins)} ${MIDDLE}H${x(lane)}`]),
  ];
  return (
    <svg width={width} height={2 * MIDDLE} aria-hidden="true">
      <path d={paths.join("")} />
      {lane < 0 ? null : <circle cx={x(lane)} cy={MIDDLE} r={3} />}
    </svg>
  );
}

function starOf(runs: RunsModel, row: RunsTableRow) {
  const { id, name, mark } = row;
  const label = l10n.t("Star {0}", visibleLine(name));
  return (
    <div key="star" role="gridcell" data-column="star">
      <button
        type="button"
        class="star"
        tabIndex={-1}
        aria-pressed={mark.star}
        aria-label={label}
        title={label}
        onClick={(event) => {
          event.stopPropagation();
          runs.send({ kind: "star", id, isOn: !mark.star });
        }}
      >
        {mark.star ? "★" : "☆"}
      </button>
    </div>
  );
}

function toneOf(key: string, { state, digest }: RunsTableRow): string | undefined {
  if (key === "state" && (state === "failed" || state === "unknown")) return "bad";
  if (key === "state" && state === "interrupted") return "warning";
  return key === "alarms" && (digest?.alarms ?? 0) > 0 ? "warning" : undefined;
}

interface GroupRowProps extends CommonProps {
  readonly group: RunGroup;
  readonly isClosed: boolean;
}

/** The label spans the columns before the first number. */
export function GroupRow(props: GroupRowProps) {
  const { runs, columns, id, position, isCursor, style, group, isClosed } = props;
  const first = columns.findIndex(({ isNumber }) => isNumber);
  const before = first < 0 ? columns.length : first;
  const label = text.groupOf(visibleLine(group.label), group.rows.length);
  return (
    <div
      id={id}
      role="row"
      class="grid-row group-row"
      aria-rowindex={position + 2}
      aria-expanded={!isClosed}
      data-cursor={isCursor}
      style={style}
      onClick={() => runs.toggleGroup(group.key)}
    >
      <div
        role="gridcell"
        class="group-label row"
        aria-colspan={before + 1}
        style={{ gridColumnStart: "1", gridColumnEnd: String(before + 2) }}
        title={label}
      >
        <Icon name={isClosed ? "chevronRight" : "chevronDown"} />
        <span>{label}</span>
      </div>
      {columns.slice(before).map((column) => (
        <div
          key={column.key}
          role="gridcell"
          class={column.isNumber ? "number" : ""}
          title={groupText(group, column, true)}
        >
          {groupText(group, column, column.inGroup === "spread")}
        </div>
      ))}
    </div>
  );
}

function groupText({ rows }: RunGroup, column: RunColumn, hasSpread: boolean): string {
  if (column.inGroup === "nothing") return "";
  if (column.inGroup === "shared") {
    const values = new Set(rows.map(column.text));
    return values.size === 1 ? ([...values][0] ?? "") : "";
  }
  const found = meanAndSpread(rows, column);
  if (found === null) return "";
  const mean = column.format(found.mean);
  if (found.spread === null || !hasSpread) return mean;
  return `${mean} ± ${column.format(found.spread)}`;
}
