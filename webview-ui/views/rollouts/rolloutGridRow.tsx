/** Head and rows of the rollout table. */

// biome-ignore-all lint/a11y/useSemanticElements: virtual rows are positioned freely, which a table forbids
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at its row

import * as l10n from "@vscode/l10n";
import type { RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import { formatReward } from "../../../src/shared/format.ts";
import { isMarked, type Mark } from "../../../src/shared/marks.ts";
import { Icon } from "../../controls/icon.tsx";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { visibleLine } from "../../text/visible.ts";
import type { TableLine } from "./rolloutGroups.ts";
import { countOfRollouts, type RolloutColumn } from "./rolloutRows.ts";
import type { TableContext } from "./tableContext.ts";

const text = strings.trajectories;
/** Columns that sort ascending first: the start of the list and the worst tasks. */
const RISING: readonly string[] = ["rollout", "groupMean"];

interface HeadProps extends DashboardProps {
  readonly columns: readonly RolloutColumn[];
  readonly areExamples: boolean;
  readonly style: Readonly<Record<"gridTemplateColumns" | "minWidth", string>>;
}

export function GridHead({ dashboard, columns, areExamples, style }: HeadProps) {
  return (
    <div class="grid-head" role="row" aria-rowindex={1} style={style}>
      {columns.map((column) => (
        <HeadCell
          key={column.key}
          dashboard={dashboard}
          column={column}
          name={areExamples && column.key === "rollout" ? text.head.example : text.head[column.key]}
        />
      ))}
    </div>
  );
}

interface LineProps {
  readonly id: string;
  readonly context: TableContext;
  /** Position among all lines, from 0. */
  readonly position: number;
  readonly isCursor: boolean;
  readonly open: () => void;
}

interface GroupProps extends LineProps {
  readonly line: Extract<TableLine, { readonly kind: "group" }>;
  readonly columnCount: number;
  readonly style: Readonly<Record<"transform", string>>;
}

/** A group's task and results. */
export function GroupRow({
  id,
  line: { row, shown, isOpen },
  context,
  position,
  isCursor,
  columnCount,
  style,
  open,
}: GroupProps) {
  const stats = context.groupOf(row);
  const task = visibleLine(row.taskText);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
    <div
      id={id}
      role="row"
      class="grid-row group-row"
      aria-rowindex={position + 2}
      aria-level={1}
      aria-expanded={isOpen}
      data-cursor={isCursor}
      style={style}
      onClick={open}
    >
      <div role="gridcell" aria-colspan={columnCount} title={task}>
        <Icon name={isOpen ? "chevronDown" : "chevronRight"} />
        <strong>{l10n.t("Group {0}", row.group + 1)}</strong>
        {stats === null || stats.mean === null ? null : (
          <span class="fact">
            {l10n.t("mean {0} ± {1}", formatReward(stats.mean), formatReward(stats.spread))}
          </span>
        )}
        <span class="fact">{countOfRollouts(shown, stats?.size ?? shown)}</span>
        <span class="group-task cut">{task}</span>
      </div>
    </div>
  );
}

interface RowProps extends LineProps {
  readonly row: RolloutRow;
  readonly columns: readonly RolloutColumn[];
  /** Level below a group; absent in an ungrouped list. */
  readonly level: number | undefined;
  readonly isChosen: boolean;
  readonly style: Readonly<Record<"gridTemplateColumns" | "transform", string>>;
}

export function GridRow({
  id,
  row,
  columns,
  context,
  position,
  level,
  isChosen,
  isCursor,
  style,
  open,
}: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
    <div
      id={id}
      role="row"
      class="grid-row"
      aria-rowindex={position + 2}
      aria-level={level}
      aria-selected={isChosen}
      data-cursor={isCursor}
      style={style}
      onClick={open}
    >
      {columns.map((column) => (
        <Cell key={column.key} column={column} row={row} context={context} />
      ))}
    </div>
  );
}

function HeadCell({
  dashboard,
  column: { key, isNumber },
  name,
}: DashboardProps & {
  readonly column: RolloutColumn;
  readonly name: string;
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
              isDescending: isSorted ? !sorting.isDescending : isNumber && !RISING.includes(key),
            },
          })
        }
      >
        <span>{name}</span>
        {isSorted ? <Icon name={sorting.isDescending ? "chevronDown" : "chevronUp"} /> : null}
      </button>
    </div>
  );
}

interface CellProps {
  readonly column: RolloutColumn;
  readonly row: RolloutRow;
  readonly context: TableContext;
}

function Cell({ column, row, context }: CellProps) {
  const text = column.text(row, context);
  if (column.key === "marks") {
    return (
      <div role="gridcell" class="marks" data-column="marks" title={text}>
        <MarkIcons mark={context.markOf(row)} />
      </div>
    );
  }
  if (column.key === "strip") {
    return (
      <div role="gridcell" data-column="strip">
        <LogprobStrip strip={context.detailOf(row)?.strip ?? null} />
      </div>
    );
  }
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

function MarkIcons({ mark }: { readonly mark: Mark }) {
  if (!isMarked(mark)) return null;
  const { star, pin, tags, note } = mark;
  const said = [
    ...(pin ? [text.pinned] : []),
    ...(star ? [text.starred] : []),
    ...tags.map(text.tagged),
    ...(note === "" ? [] : [l10n.t("has a note")]),
  ];
  return (
    <span class="mark-icons">
      {pin ? <Icon name="pinned" /> : null}
      {star ? <Icon name="starFull" /> : null}
      {tags.length > 0 || note !== "" ? <Icon name="tag" /> : null}
      <span class="visually-hidden">{said.join(", ")}</span>
    </span>
  );
}

/** Log-probability with the strongest color: a probability of 5%. */
const LOWEST = -3;

function LogprobStrip({ strip }: { readonly strip: Float32Array | null }) {
  if (strip === null || strip.length === 0) return null;
  const [low, high] = [Math.min(...strip), Math.max(...strip)].map((value) => value.toFixed(2));
  const label = l10n.t("Mean log-probability along the rollout, {0} to {1}", low ?? "", high ?? "");
  return (
    <svg
      class="logprob-strip"
      viewBox={`0 0 ${strip.length} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {[...strip].map((value, at) => (
        <rect
          key={at}
          x={at}
          width={1}
          {...heightOf(value)}
          fill-opacity={0.25 + 0.75 * shareOf(value)}
        />
      ))}
    </svg>
  );
}

function shareOf(logprob: number): number {
  return Math.min(1, Math.max(0, logprob / LOWEST));
}

/** Unlikely cells are also taller, so that color is not the only cue. */
function heightOf(logprob: number): { readonly y: number; readonly height: number } {
  const height = 2 + 8 * shareOf(logprob);
  return { y: 10 - height, height };
}
