/** The series of the small charts: rewards and measures first, then stop reasons and tools, largest change first. */

import * as l10n from "@vscode/l10n";
import type { BehaviorRow, RewardGrouping } from "../../src/shared/changes.ts";
import { formatMeasure, formatReward, formatShare } from "../../src/shared/format.ts";
import { changesStrings as text } from "../strings/changes.ts";
import { stopText } from "../text/stopText.ts";
import { visibleLine } from "../text/visible.ts";
import { partAt, partLabel, partNames } from "./rewardParts.ts";

export interface BehaviorSeries {
  readonly title: string;
  /** Counted from 0, ascending. */
  readonly steps: readonly number[];
  readonly values: readonly (number | null)[];
  readonly show: (value: number | null) => string;
  /** The vertical axis reaches at least this value. */
  readonly minHigh: number;
}

type Measure = keyof typeof text.measures;

const SHARES: ReadonlySet<Measure> = new Set<Measure>(["failedCalls", "refusals"]);
/** Minimum upper end of the axis for shares; with less, a near-zero share would look frequent. */
const MIN_SHARE = 0.05;
/** Limit for each of splits, stop reasons, and tools. */
const MAX_NAMED = 8;

export function behaviorSeries(rows: readonly BehaviorRow[]): readonly BehaviorSeries[] {
  if (rows.length === 0) return [];
  const measures = Object.keys(text.measures) as readonly Measure[]; // the table's own keys
  const all = [
    ...partSeries(rows, "split").sort(byChange).slice(0, MAX_NAMED),
    ...partSeries(rows, "difficulty"),
    ...measures.map((measure) => measureSeries(rows, measure)),
    ...namedSeries(rows, "stops", (name) => l10n.t("Ends: {0}", stopText(name))),
    ...namedSeries(rows, "tools", (tool: string) => l10n.t("Uses {0}", tool)),
  ];
  return all.filter(({ values }) => values.some((value) => value !== null && value !== 0));
}

function measureSeries(rows: readonly BehaviorRow[], measure: Measure): BehaviorSeries {
  const isShare = SHARES.has(measure);
  const format = isShare ? formatShare : formatMeasure;
  return {
    minHigh: isShare ? MIN_SHARE : 0,
    title: text.measures[measure],
    steps: rows.map(({ step }) => step),
    values: rows.map((row) => row[measure]),
    show: (value) => (value === null ? "–" : format(value)),
  };
}

function partSeries(rows: readonly BehaviorRow[], by: RewardGrouping): BehaviorSeries[] {
  return partNames(rows, by).map((name) => ({
    title: l10n.t("Reward: {0}", partLabel(by, name)),
    steps: rows.map(({ step }) => step),
    // A part without samples in a step has no reward there.
    values: rows.map(({ parts }) => partAt(parts, by, name)?.mean ?? null),
    show: formatReward,
    minHigh: 0,
  }));
}

function namedSeries(
  rows: readonly BehaviorRow[],
  of: "stops" | "tools",
  title: (name: string) => string,
): readonly BehaviorSeries[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row[of])))];
  return names
    .map((name) => ({
      title: title(visibleLine(name)),
      steps: rows.map(({ step }) => step),
      // A tool missing from a step was not called in it.
      values: rows.map((row) => row[of][name] ?? 0),
      show: (value: number | null) => (value === null ? "–" : formatShare(value)),
      minHigh: MIN_SHARE,
    }))
    .sort(byChange)
    .slice(0, MAX_NAMED);
}

/** Largest change first. */
function byChange(a: BehaviorSeries, b: BehaviorSeries): number {
  return spread(b.values) - spread(a.values);
}

function spread(values: readonly (number | null)[]): number {
  const known = values.filter((value) => value !== null);
  return Math.max(...known) - Math.min(...known);
}
