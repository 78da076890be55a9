/** The user's arrangement of the runs table; stored with the workspace. */

import type { Range } from "../../src/shared/chartScale.ts";
import { LISTED_METRICS, MAX_COMPARED } from "../../src/shared/runsPage.ts";
import type { Smoothing } from "../charts/smoothing.ts";
import { COMPARED_AXES, type ComparedAxis } from "../charts/xAxis.ts";
import { oneOf, parsed, restored, type Sorting } from "../model/viewState.ts";
import { assignLooks } from "./runLook.ts";

/** Groups runs by the value of `key`, or, if `isOver`, runs that differ in nothing but `key`. */
export interface RunGrouping {
  readonly key: string;
  readonly isOver: boolean;
}

export const COMPARE_TABS = ["charts", "evaluations", "config"] as const;
export type CompareTab = (typeof COMPARE_TABS)[number];

/** `interval` is the 95% confidence interval of the mean over the runs; `range` spans their minimum and maximum. */
export const BAND_KINDS = ["interval", "range"] as const;
export type BandKind = (typeof BAND_KINDS)[number];

export interface RunsLayout {
  readonly filter: string;
  readonly sorting: Sorting;
  /** Column keys in the user's order; other columns come after their usual predecessors. */
  readonly order: readonly string[];
  /** Visibility by column key, where it differs from the default. */
  readonly shown: Readonly<Record<string, boolean>>;
  /** Widths in pixels, by column key. */
  readonly widths: Readonly<Record<string, number>>;
  readonly grouping: RunGrouping | null;
  readonly closedGroups: readonly string[];
  /** Ids of runs. */
  readonly chosen: readonly string[];
  /** Id of the run that others are compared with while it is selected; null = none pinned. */
  readonly baseline: string | null;
  /** Look of a run in all charts, by its id. The oldest entries come first. */
  readonly looks: Readonly<Record<string, number>>;
  readonly tab: CompareTab;
  /** Id of the sweep that is shown instead of the table; null = the table. */
  readonly sweep: string | null;
  /** Key of the column to compare the sweep's runs by; empty = the first one offered. */
  readonly sweepMetric: string;
  /** Height of the comparison as a share of the table's height. */
  readonly compareShare: number;
  /** Gives the comparison the full height. */
  readonly isTableFolded: boolean;
  /** One chart per metric. */
  readonly charts: readonly string[];
  readonly wideCharts: readonly string[];
  /** Heights in pixels, by metric. */
  readonly chartHeights: Readonly<Record<string, number>>;
  readonly xAxis: ComparedAxis;
  readonly smoothing: Smoothing;
  readonly isLog: boolean;
  /** Null or absent = everything. */
  readonly xRanges: Partial<Readonly<Record<ComparedAxis, Range | null>>>;
  /** By metric. */
  readonly yRanges: Readonly<Record<string, Range | null>>;
  /** Draws the mean of each table group instead of its runs. */
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

/** Number of runs whose looks are remembered. */
const MAX_LOOKS = 500;

/** Parses a stored layout; values whose shape has changed since are dropped. */
export function restoreLayout(kept: string | null): RunsLayout {
  const merged = restored(kept === null ? null : parsed(kept), FIRST_LAYOUT);
  return {
    ...merged,
    tab: oneOf(COMPARE_TABS, merged.tab, FIRST_LAYOUT.tab),
    xAxis: oneOf(COMPARED_AXES, merged.xAxis, FIRST_LAYOUT.xAxis),
    band: oneOf(BAND_KINDS, merged.band, FIRST_LAYOUT.band),
  };
}

/** The layout with these runs selected. Each keeps its look if possible. */
export function withChosen(layout: RunsLayout, chosen: readonly string[]): RunsLayout {
  const looks = new Map(Object.entries(layout.looks));
  const compared = chosen.slice(0, MAX_COMPARED);
  const assigned = assignLooks(compared.map((id) => looks.get(id)));
  for (const [index, id] of compared.entries()) {
    looks.delete(id);
    looks.set(id, assigned[index] ?? 0);
  }
  return { ...layout, chosen, looks: Object.fromEntries([...looks].slice(-MAX_LOOKS)) };
}
