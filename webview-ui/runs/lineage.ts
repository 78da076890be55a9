/** Which run each run took its weights from, and the lines that connect the two in the table. */

import type { RunsTableRow } from "../../src/shared/runsPage.ts";

/** A row of the table: a run or a group head. */
type ShownItem =
  | { readonly kind: "run"; readonly row: Pick<RunsTableRow, "id"> }
  | { readonly kind: "group" };

/** The lines in one row. A lane is a column for a vertical line, counted from 0. */
export interface LineageCell {
  /** The lane of the run's dot; -1 without a dot. */
  readonly lane: number;
  /** Lanes whose lines reach the top and the bottom edge of the row. */
  readonly up: readonly number[];
  readonly down: readonly number[];
  /** The lane of the run's parent, if it differs from its own. */
  readonly joins: number | null;
}

/** Number of lanes; further lines share the last one. */
const MAX_LANES = 5;

/** Parents by the ids of their children. */
export function parentsOf(rows: readonly RunsTableRow[]): ReadonlyMap<string, RunsTableRow> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    rows.flatMap(({ id, from }) => {
      const parent = from === null ? undefined : byId.get(from);
      return parent === undefined ? [] : [[id, parent] as const];
    }),
  );
}

/** The lines of each run that has any, by run id, in table order. */
export function lineageCells(
  items: readonly ShownItem[],
  parents: ReadonlyMap<string, RunsTableRow>,
): ReadonlyMap<string, LineageCell> {
  if (parents.size === 0) return new Map();
  const places = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    if (item.kind === "run") places.set(item.row.id, index);
  }
  const spans = spansOf(places, parents);
  const lanes = lanesOf(spans);
  const cells = new Map<string, LineageCell>();
  for (const [id, place] of places) {
    const own = lanes.get(id);
    const parent = parents.get(id);
    const above = parent === undefined ? undefined : lanes.get(parent.id);
    const lane = own ?? above;
    const crossing = spans.filter(({ from, to }) => from <= place && place <= to);
    if (lane === undefined && crossing.length === 0) continue;
    const laneOf = ({ id: other }: Span): number => lanes.get(other) ?? 0;
    cells.set(id, {
      lane: lane ?? -1,
      up: crossing.filter(({ from }) => from < place).map(laneOf),
      down: crossing.filter(({ to }) => to > place).map(laneOf),
      joins: own !== undefined && above !== undefined && above !== own ? above : null,
    });
  }
  return cells;
}

/** The rows from the first to the last of a parent and its children. */
interface Span {
  /** Id of the parent. */
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

function spansOf(
  places: ReadonlyMap<string, number>,
  parents: ReadonlyMap<string, RunsTableRow>,
): readonly Span[] {
  const spans = new Map<string, Span>();
  for (const [child, { id }] of parents) {
    const [at, own] = [places.get(child), places.get(id)];
    if (at === undefined || own === undefined) continue;
    const { from, to } = spans.get(id) ?? { from: own, to: own };
    spans.set(id, { id, from: Math.min(from, at), to: Math.max(to, at) });
  }
  return [...spans.values()].sort((a, b) => a.from - b.from);
}

/** Spans that only meet at their ends share a lane, so a chain of runs is a single line. */
function lanesOf(spans: readonly Span[]): ReadonlyMap<string, number> {
  const ends: number[] = [];
  const lanes = new Map<string, number>();
  for (const { id, from, to } of spans) {
    const free = ends.findIndex((end) => end <= from);
    const lane = Math.min(free === -1 ? ends.length : free, MAX_LANES - 1);
    ends[lane] = Math.max(ends[lane] ?? 0, to);
    lanes.set(id, lane);
  }
  return lanes;
}
