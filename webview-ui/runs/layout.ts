/** What the person has arranged in the runs table; kept with the workspace. */

import type { Range } from "../../src/shared/chartScale.ts";
import { LISTED_METRICS, MAX_COMPARED } from "../../src/shared/runsPage.ts";
import type { Smoothing } from "../charts/smoothing.ts";
import { COMPARED_AXES, type ComparedAxis } from "../charts/xAxis.ts";
import { parsed, restored } from "../model/viewState.ts";

export interface RunSorting {
  readonly column: string;
  readonly isDescending: boolean;
}

/** Groups of runs with the same value of `key`, or, over it, of runs that differ in nothing else. */
export interface RunGrouping {
  readonly key: string;
  readonly isOver: boolean;
}

export const COMPARE_TABS = ["charts", "evaluations", "config"] as const;
export type CompareTab = (typeof COMPARE_TABS)[number];

/** `interval` is the 95% confidence interval of the mean over the runs, `range` their lowest and highest. */
export const BAND_KINDS = ["interval", "range"] as const;
export type BandKind = (typeof BAND_KINDS)[number];

export interface RunsLayout {
  readonly filter: string;
  readonly sorting: RunSorting;
  /** Keys of columns as they were moved; those that are not here come behind. */
  readonly order: readonly string[];
  /** By key of a column: whether it is shown, where that is not as at first. */
  readonly shown: Readonly<Record<string, boolean>>;
  /** Pixels, by key of a column. */
  readonly widths: Readonly<Record<string, number>>;
  readonly grouping: RunGrouping | null;
  readonly closedGroups: readonly string[];
  /** Ids of runs. */
  readonly chosen: readonly string[];
  /** Id of the run that others are compared with while it is chosen; null = none is pinned. */
  readonly baseline: string | null;
  /** By id of a run: which look it has in all charts. The oldest come first. */
  readonly looks: Readonly<Record<string, number>>;
  readonly tab: CompareTab;
  /** Id of the sweep whose settings are shown instead of the table; null = the table. */
  readonly sweep: string | null;
  /** Key of the column that is the result of its runs; empty = the first that is offered. */
  readonly sweepMetric: string;
  /** How high the comparison is, as a share of the table's height. */
  readonly compareShare: number;
  /** Leaves the whole height to the comparison. */
  readonly isTableFolded: boolean;
  /** Metrics, each with a chart. */
  readonly charts: readonly string[];
  readonly wideCharts: readonly string[];
  /** Pixels, by metric. */
  readonly chartHeights: Readonly<Record<string, number>>;
  readonly xAxis: ComparedAxis;
  readonly smoothing: Smoothing;
  readonly isLog: boolean;
  /** Null and absent = all of it. */
  readonly xRanges: Partial<Readonly<Record<ComparedAxis, Range | null>>>;
  /** By metric. */
  readonly yRanges: Readonly<Record<string, Range | null>>;
  /** Draws the mean of each group of the table instead of its runs. */
  readonly hasMeans: boolean;
  readonly band: BandKind;
}

export const FIRST_LAYOUT: RunsLayout = {
  filter: "",
  sorting: { column: "started", isDescending: true },
  order: [],
  shown: {},
  widths: {},
  grouping: null,
  closedGroups: [],
  chosen: [],
  baseline: null,
  looks: {},
  tab: "charts",
  sweep: null,
  sweepMetric: "",
  compareShare: 1.2,
  isTableFolded: false,
  charts: ["rollout/reward/mean", ...LISTED_METRICS],
  wideCharts: [],
  chartHeights: {},
  xAxis: "step",
  smoothing: { kind: "auto", factor: 0.6 },
  isLog: false,
  xRanges: {},
  yRanges: {},
  hasMeans: false,
  band: "interval",
};

/** Looks are kept for this many runs. */
const MAX_LOOKS = 500;

/** A kept layout; what an older page kept in another shape is left out. */
export function restoreLayout(kept: string | null): RunsLayout {
  const merged = restored(kept === null ? null : parsed(kept), FIRST_LAYOUT);
  const oneOf = <Value>(values: readonly Value[], own: Value, first: Value): Value =>
    values.includes(own) ? own : first;
  return {
    ...merged,
    tab: oneOf(COMPARE_TABS, merged.tab, FIRST_LAYOUT.tab),
    xAxis: oneOf(COMPARED_AXES, merged.xAxis, FIRST_LAYOUT.xAxis),
    band: oneOf(BAND_KINDS, merged.band, FIRST_LAYOUT.band),
  };
}

/** The layout with these runs chosen. Each keeps the look that it had, if no other chosen run has it now. */
export function withChosen(layout: RunsLayout, chosen: readonly string[]): RunsLayout {
  const looks = new Map(Object.entries(layout.looks));
  const taken = new Set<number>();
  for (const id of chosen.slice(0, MAX_COMPARED)) {
    const before = looks.get(id);
    const look = before === undefined || taken.has(before) ? freeLook(taken) : before;
    taken.add(look);
    looks.delete(id);
    looks.set(id, look);
  }
  return { ...layout, chosen, looks: Object.fromEntries([...looks].slice(-MAX_LOOKS)) };
}

function freeLook(taken: ReadonlySet<number>): number {
  let look = 0;
  while (taken.has(look)) look += 1;
  return look;
}
