/** What the user has arranged in the page; kept by the editor while the page is hidden and over a reload. */

import type { RolloutSet } from "../../src/shared/rolloutSet.ts";
import type { Range } from "../charts/scale.ts";
import type { Smoothing } from "../charts/smoothing.ts";
import { X_AXES, type XAxis } from "../charts/xAxis.ts";

export const TABS = ["overview", "trajectories", "checkpoints", "config"] as const;
export type Tab = (typeof TABS)[number];

export const TOKEN_COLOURS = ["logprob", "advantage", "difference", "ratio"] as const;
export type TokenColour = (typeof TOKEN_COLOURS)[number];

export type ReplayMode = "markdown" | "raw" | "tokens";

export interface RolloutFilter {
  readonly text: string;
  /** True when the text is looked for in messages too, not only in what the table shows. */
  readonly isInMessages: boolean;
  /** Inclusive bounds; null = none. */
  readonly rewardLow: number | null;
  readonly rewardHigh: number | null;
  /** Empty = all. */
  readonly stop: string;
  readonly trainingUse: string;
  readonly environment: string;
  readonly split: string;
  /** Of evaluations; 0 = greedy, null = all. */
  readonly temperature: number | null;
}

export interface Sorting {
  readonly column: string;
  readonly isDescending: boolean;
}

export interface ViewState {
  readonly tab: Tab;
  /** The step or evaluation whose rollouts are shown; null = the latest step. */
  readonly rolloutSet: RolloutSet | null;
  readonly rollout: { readonly group: number; readonly rollout: number } | null;
  /** Completed steps: the evaluation whose rollout of the same task is shown too; null = none. */
  readonly besideEvaluation: number | null;
  readonly smoothing: Smoothing;
  readonly xAxis: XAxis;
  readonly isLog: boolean;
  readonly isClipped: boolean;
  readonly isFromZero: boolean;
  /** Null = all of it, and what is added. */
  readonly xRange: Range | null;
  readonly yRange: Range | null;
  readonly hiddenSeries: readonly string[];
  /** The attempt whose repeated steps are drawn too; null = none. */
  readonly shownAttempt: number | null;
  readonly filter: RolloutFilter;
  readonly sorting: Sorting;
  readonly hiddenColumns: readonly string[];
  readonly replayMode: ReplayMode;
  readonly isReasoningOpen: boolean;
  readonly tokenColour: TokenColour;
  readonly hasTokenNumbers: boolean;
  readonly configFilter: string;
  readonly isOnlyChanged: boolean;
  /** Pixels, by scrolled region. */
  readonly scroll: Readonly<Record<string, number>>;
}

export const NO_FILTER: RolloutFilter = {
  text: "",
  isInMessages: false,
  rewardLow: null,
  rewardHigh: null,
  stop: "",
  trainingUse: "",
  environment: "",
  split: "",
  temperature: null,
};

/** Where rewards are 0 or 1 both would fill the chart. */
export const HIDDEN_AT_FIRST: readonly string[] = ["tasks", "range"];

export function firstViewState(smoothing: number): ViewState {
  return {
    tab: "overview",
    rolloutSet: null,
    rollout: null,
    besideEvaluation: null,
    smoothing:
      smoothing > 0 ? { kind: "ema", factor: Math.min(0.99, smoothing) } : { kind: "none" },
    xAxis: "step",
    isLog: false,
    isClipped: false,
    isFromZero: false,
    xRange: null,
    yRange: null,
    hiddenSeries: HIDDEN_AT_FIRST,
    shownAttempt: null,
    filter: NO_FILTER,
    sorting: { column: "rollout", isDescending: false },
    hiddenColumns: ["duration", "split", "task"],
    replayMode: "markdown",
    isReasoningOpen: false,
    tokenColour: "logprob",
    hasTokenNumbers: false,
    configFilter: "",
    isOnlyChanged: false,
    scroll: {},
  };
}

/** What belongs to one run only starts anew with another one. */
export function forOtherRun(state: ViewState): ViewState {
  return {
    ...state,
    rolloutSet: null,
    rollout: null,
    xRange: null,
    yRange: null,
    shownAttempt: null,
    besideEvaluation: null,
    filter: NO_FILTER,
    scroll: {},
  };
}

/** A stored state laid over a fresh one: what an older page stored in another shape is left out. */
export function restoreViewState(stored: unknown, fresh: ViewState): ViewState {
  if (typeof stored !== "object" || stored === null) return fresh;
  const known = Object.entries(stored).filter(
    ([key, value]) => key in fresh && hasShapeOf(fresh[key as keyof ViewState], value),
  );
  const merged: ViewState = { ...fresh, ...Object.fromEntries(known) };
  return {
    ...merged,
    filter: { ...fresh.filter, ...merged.filter },
    tab: TABS.includes(merged.tab) ? merged.tab : fresh.tab,
    xAxis: X_AXES.includes(merged.xAxis) ? merged.xAxis : fresh.xAxis,
  };
}

/** Null stands for "not chosen", so either side may be null. */
function hasShapeOf(model: unknown, value: unknown): boolean {
  if (model === null || value === null) return value !== undefined;
  return typeof model === typeof value && Array.isArray(model) === Array.isArray(value);
}
