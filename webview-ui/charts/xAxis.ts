/** The horizontal axis: steps, time, tokens, or USD. */

import type { EventView } from "../../src/shared/dashboardTypes.ts";
import type { ColumnStore } from "./columns.ts";

export const X_AXES = ["step", "wall", "active", "tokens", "cost"] as const;
export type XAxis = (typeof X_AXES)[number];

/** Axes that line up runs from different days. */
export const COMPARED_AXES = [
  "step",
  "active",
  "tokens",
  "cost",
] as const satisfies readonly XAxis[];
export type ComparedAxis = (typeof COMPARED_AXES)[number];

const AXIS_COLUMNS = {
  wall: "time/total_s",
  active: "time/total_s",
  tokens: "tokens/cumulative/trained",
  cost: "cost/cumulative_usd",
} as const satisfies Readonly<Record<Exclude<XAxis, "step">, string>>;

/** False if the run did not record what the axis needs. Imported folders, for example, have no timestamps. */
export function hasAxis(
  axis: XAxis,
  columns: Pick<ColumnStore, "has">,
  events: readonly Pick<EventView, "kind">[] = [],
): boolean {
  if (axis === "wall" && !events.some(({ kind }) => kind === "run-started")) return false;
  return axis === "step" || columns.has(AXIS_COLUMNS[axis]);
}

/** The chosen axis, or steps if the run did not record what it needs. */
export function shownAxis(
  chosen: XAxis,
  columns: Pick<ColumnStore, "has">,
  events: readonly Pick<EventView, "kind">[],
): XAxis {
  return hasAxis(chosen, columns, events) ? chosen : "step";
}

/**
 * Ascending values, one per row. `step` counts from 1; `wall` is milliseconds since the Unix epoch; `active` is seconds of
 * training without pauses; `tokens` counts trained tokens; `cost` is USD. Meaningful only if {@link hasAxis} is true.
 */
export function xValues(
  axis: XAxis,
  columns: ColumnStore,
  events: readonly EventView[],
): Float64Array {
  switch (axis) {
    case "step":
      return columns.steps().map((step) => step + 1);
    case "active":
      return ascending(running(columns.values(AXIS_COLUMNS.active)));
    case "tokens":
      return ascending(columns.values(AXIS_COLUMNS.tokens));
    case "cost":
      return ascending(columns.values(AXIS_COLUMNS.cost));
    case "wall":
      return ascending(wallTimes(columns, events));
  }
}

/** The axis value of an event after `completedSteps` steps; null before the first row. */
export function xAfterSteps(
  completedSteps: number,
  steps: Float64Array,
  xs: Float64Array,
): number | null {
  let found: number | null = null;
  for (let row = 0; row < steps.length && (steps[row] ?? 0) < completedSteps; row += 1) {
    found = xs[row] ?? null;
  }
  return found;
}

function running(values: Float64Array): Float64Array {
  let sum = 0;
  return values.map((value) => {
    sum += Number.isNaN(value) ? 0 : value;
    return sum;
  });
}

/** Start of the attempt or end of the last pause, plus the durations of the steps since then. */
function wallTimes(columns: ColumnStore, events: readonly EventView[]): Float64Array {
  const starts = events.filter(({ kind }) => kind === "run-started" || kind === "run-continued");
  const attempts = columns.values("progress/attempt");
  const seconds = columns.values(AXIS_COLUMNS.wall);
  const steps = columns.steps();
  let now = events[0]?.timeMs ?? 0;
  return seconds.map((duration, row) => {
    const [own = Number.NaN, at = Number.NaN] = [attempts[row], steps[row]];
    const isBefore = ({ attempt, step }: EventView): boolean =>
      attempt < own || (attempt === own && (step ?? 0) <= at);
    while (starts[0] !== undefined && isBefore(starts[0])) {
      now = Math.max(now, starts.shift()?.timeMs ?? now);
    }
    now += 1000 * (Number.isNaN(duration) ? 0 : duration);
    return now;
  });
}

/** uPlot needs ascending numbers, so an unknown or smaller value repeats the previous one. */
function ascending(values: Float64Array): Float64Array {
  let last = 0;
  return values.map((value) => {
    last = Number.isNaN(value) ? last : Math.max(last, value);
    return last;
  });
}
