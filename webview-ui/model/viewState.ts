/** What the user has arranged in the page; kept by the editor while the page is hidden and over a reload. */

import { REWARD_GROUPINGS, type RewardGrouping, type StepRange } from "../../src/shared/changes.ts";
import type { Range } from "../../src/shared/chartScale.ts";
import type { RolloutSet } from "../../src/shared/rolloutSet.ts";
import type { SearchQuery } from "../../src/shared/search.ts";
import type { Smoothing } from "../charts/smoothing.ts";
import { X_AXES, type XAxis } from "../charts/xAxis.ts";

export const TABS = ["overview", "rollouts", "evaluations", "run"] as const;
export type Tab = (typeof TABS)[number];

/** What a tab leads to: *Rollouts* begins with the list. */
export function placeOf(tab: Tab): Partial<ViewState> {
  return tab === "rollouts" ? { tab, rolloutPart: "list" } : { tab };
}

/** What *Rollouts* shows: those of a step, what a search finds in all steps, or what changed between steps. */
const ROLLOUT_PARTS = ["list", "search", "changes"] as const;
type RolloutPart = (typeof ROLLOUT_PARTS)[number];

export const RUN_PARTS = ["timeline", "tasks", "config", "log", "checkpoints"] as const;
export type RunPart = (typeof RUN_PARTS)[number];

export const TOKEN_COLORS = ["logprob", "advantage", "difference", "ratio"] as const;
export type TokenColor = (typeof TOKEN_COLORS)[number];
/** `loss` is that of examples, which nobody sampled. */
export type ShownTokenColor = TokenColor | "loss";

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
  /** The temperature of evaluations; 0 means greedy, null means all. */
  readonly temperature: number | null;
  /** The model of separate evaluations; empty means all. */
  readonly model: string;
  /** `star`, `pin`, `note`, or `tag:` and a tag; empty = all. */
  readonly mark: string;
}

/** The best or worst rollout of the same group, or the same task in another step or evaluation. */
export type Beside = "best" | "worst" | RolloutSet;

/** What is kept of an alarm that one looks into: it may end meanwhile. */
export interface ShownAlarm {
  readonly id: string;
  readonly title: string;
  /** The step that it began with, counted from 0. */
  readonly step: number;
  readonly metric: string;
  readonly isOfRollouts: boolean;
}

export interface Sorting {
  readonly column: string;
  readonly isDescending: boolean;
}

/** What is searched for in the texts of rollouts. */
interface SearchState extends SearchQuery {
  readonly isCaseSensitive: boolean;
  /** True when all runs of the window are searched. */
  readonly isEveryRun: boolean;
}

export interface ViewState {
  readonly tab: Tab;
  readonly rolloutPart: RolloutPart;
  readonly runPart: RunPart;
  /** The step or evaluation whose rollouts are shown; null = the latest step. */
  readonly rolloutSet: RolloutSet | null;
  readonly rollout: { readonly group: number; readonly rollout: number } | null;
  /** What is shown beside a rollout; null = nothing. */
  readonly beside: Beside | null;
  /** True when the list stays beside a replay where there is little room for both. */
  readonly isListKept: boolean;
  /** True when the list shows the rollouts of a task together. */
  readonly isGrouped: boolean;
  /** Groups of which the list shows the head only. */
  readonly closedGroups: readonly number[];
  readonly smoothing: Smoothing;
  /** What the reward chart has a curve for each of. */
  readonly rewardBy: RewardGrouping | "all";
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
  /** The alarm whose rollouts alone are listed; null = all are. */
  readonly alarmFilter: ShownAlarm | null;
  /** The alarm whose metric is shown above the charts. */
  readonly evidence: ShownAlarm | null;
  readonly sorting: Sorting;
  readonly hiddenColumns: readonly string[];
  readonly replayMode: ReplayMode;
  readonly isReasoningOpen: boolean;
  readonly tokenColor: TokenColor;
  readonly hasTokenNumbers: boolean;
  readonly configFilter: string;
  readonly isOnlyChanged: boolean;
  readonly search: SearchState;
  /** Ranges of steps that are compared; null = the first and the last quarter. */
  readonly changes: { readonly before: StepRange; readonly after: StepRange } | null;
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
  model: "",
  mark: "",
};

/** Where rewards are 0 or 1 both would fill the chart. */
export const HIDDEN_AT_FIRST: readonly string[] = ["tasks", "range"];

export function firstViewState(smoothing: number): ViewState {
  return {
    tab: "overview",
    rolloutPart: "list",
    runPart: "timeline",
    rolloutSet: null,
    rollout: null,
    beside: null,
    isListKept: false,
    isGrouped: false,
    closedGroups: [],
    smoothing:
      smoothing > 0 ? { kind: "auto", factor: Math.min(0.99, smoothing) } : { kind: "none" },
    rewardBy: "all",
    xAxis: "step",
    isLog: false,
    isClipped: false,
    isFromZero: false,
    xRange: null,
    yRange: null,
    hiddenSeries: HIDDEN_AT_FIRST,
    shownAttempt: null,
    filter: NO_FILTER,
    alarmFilter: null,
    evidence: null,
    sorting: { column: "rollout", isDescending: false },
    hiddenColumns: ["duration", "split", "task", "tools"],
    replayMode: "markdown",
    isReasoningOpen: false,
    tokenColor: "logprob",
    hasTokenNumbers: false,
    configFilter: "",
    isOnlyChanged: false,
    search: { text: "", isRegex: false, isCaseSensitive: false, roles: [], isEveryRun: false },
    changes: null,
    scroll: {},
  };
}

/** What belongs to one run only starts again with another one. */
export function forOtherRun(state: ViewState): ViewState {
  return {
    ...state,
    rolloutSet: null,
    rollout: null,
    xRange: null,
    yRange: null,
    shownAttempt: null,
    beside: null,
    closedGroups: [],
    filter: NO_FILTER,
    alarmFilter: null,
    evidence: null,
    changes: null,
    scroll: {},
  };
}

/** A stored state laid over a fresh one: what an older page stored in another shape is left out. */
export function restoreViewState(stored: unknown, fresh: ViewState): ViewState {
  const merged = restored(stored, fresh);
  return {
    ...merged,
    filter: { ...fresh.filter, ...merged.filter },
    search: { ...fresh.search, ...merged.search },
    tab: TABS.includes(merged.tab) ? merged.tab : fresh.tab,
    rolloutPart: ROLLOUT_PARTS.includes(merged.rolloutPart)
      ? merged.rolloutPart
      : fresh.rolloutPart,
    runPart: RUN_PARTS.includes(merged.runPart) ? merged.runPart : fresh.runPart,
    rewardBy: REWARD_GROUPINGS.some((by) => by === merged.rewardBy) ? merged.rewardBy : "all",
    xAxis: X_AXES.includes(merged.xAxis) ? merged.xAxis : fresh.xAxis,
  };
}

/** A filter that was kept under a name: what an older page stored in another shape is left out. */
export function parseFilter(json: string): RolloutFilter {
  return restored(parsed(json), NO_FILTER);
}

/** `fresh` with those of its values that were stored in the same shape. */
export function restored<State extends object>(stored: unknown, fresh: State): State {
  if (typeof stored !== "object" || stored === null) return fresh;
  const known = Object.entries(stored).filter(
    ([key, value]) => key in fresh && hasShapeOf(fresh[key as keyof State], value), // looked up right before
  );
  return { ...fresh, ...Object.fromEntries(known) };
}

/** Null for what is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Null stands for "not chosen", so either side may be null. */
function hasShapeOf(model: unknown, value: unknown): boolean {
  if (model === null || value === null) return value !== undefined;
  return typeof model === typeof value && Array.isArray(model) === Array.isArray(value);
}
