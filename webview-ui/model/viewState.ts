/** The user's arrangement of the page; the editor keeps it while the page is hidden and across reloads. */

import { REWARD_GROUPINGS, type StepRange } from "../../src/shared/changes.ts";
import type { Range } from "../../src/shared/chartScale.ts";
import type { AlarmView } from "../../src/shared/dashboardTypes.ts";
import type { RolloutPosition, RolloutSet } from "../../src/shared/rolloutSet.ts";
import type { SearchQuery } from "../../src/shared/search.ts";
import type { Smoothing } from "../charts/smoothing.ts";
import { X_AXES, type XAxis } from "../charts/xAxis.ts";

export const TABS = ["overview", "rollouts", "evaluations", "run"] as const;
export type Tab = (typeof TABS)[number];

/** Where a tab leads: *Rollouts* opens with the list. */
export function placeOf(tab: Tab): Partial<ViewState> {
  return tab === "rollouts" ? { tab, rolloutPart: "list" } : { tab };
}

/** Parts of *Rollouts*: one step, search results over all steps, or changes between steps. */
const ROLLOUT_PARTS = ["list", "search", "changes"] as const;
type RolloutPart = (typeof ROLLOUT_PARTS)[number];

export const RUN_PARTS = ["timeline", "tasks", "config", "log", "checkpoints"] as const;
export type RunPart = (typeof RUN_PARTS)[number];

/** How the reward chart can be split into curves. */
export const REWARD_SPLITS = ["all", ...REWARD_GROUPINGS] as const;

export const TOKEN_COLORS = ["logprob", "advantage", "difference", "ratio"] as const;
export type TokenColor = (typeof TOKEN_COLORS)[number];
/** `loss` belongs to training examples, which were not sampled. */
export type ShownTokenColor = TokenColor | "loss";

export type ReplayMode = "markdown" | "raw" | "tokens";

export interface RolloutFilter {
  readonly text: string;
  /** True to search messages too, not only the table's columns. */
  readonly isInMessages: boolean;
  /** Inclusive bounds; null = none. */
  readonly rewardLow: number | null;
  readonly rewardHigh: number | null;
  /** Empty = all. */
  readonly stop: string;
  readonly trainingUse: string;
  readonly environment: string;
  readonly split: string;
  /** Temperature of evaluations; 0 = greedy, null = all. */
  readonly temperature: number | null;
  /** Model of separate evaluations; empty = all. */
  readonly model: string;
  /** `star`, `pin`, `note`, or `tag:` followed by a tag; empty = all. */
  readonly mark: string;
}

/** The best or worst rollout of the same group, or the same task in another step or evaluation. */
export type Beside = "best" | "worst" | RolloutSet;

/** The facts kept about an opened alarm, which may end meanwhile. */
export type ShownAlarm = Pick<AlarmView, "id" | "title" | "step" | "metric" | "isOfRollouts">;

export interface Sorting {
  readonly column: string;
  readonly isDescending: boolean;
}

/** A search in the texts of rollouts. */
interface SearchState extends SearchQuery {
  readonly isCaseSensitive: boolean;
  /** True to search all runs of the window. */
  readonly isEveryRun: boolean;
}

export interface ViewState {
  readonly tab: Tab;
  readonly rolloutPart: RolloutPart;
  readonly runPart: RunPart;
  /** The step or evaluation whose rollouts are shown; null = the latest step. */
  readonly rolloutSet: RolloutSet | null;
  readonly rollout: RolloutPosition | null;
  /** Shown beside a rollout; null = nothing. */
  readonly beside: Beside | null;
  /** True to keep the list beside a replay even if space is tight. */
  readonly isListKept: boolean;
  /** True to group the list by task. */
  readonly isGrouped: boolean;
  /** Collapsed groups of the list. */
  readonly closedGroups: readonly number[];
  readonly smoothing: Smoothing;
  /** How the reward chart is split into curves. */
  readonly rewardBy: (typeof REWARD_SPLITS)[number];
  readonly xAxis: XAxis;
  readonly isLog: boolean;
  readonly isClipped: boolean;
  readonly isFromZero: boolean;
  /** Null = everything, including rows that arrive later. */
  readonly xRange: Range | null;
  readonly yRange: Range | null;
  readonly hiddenSeries: readonly string[];
  /** The attempt whose repeated steps are also drawn; null = none. */
  readonly shownAttempt: number | null;
  readonly filter: RolloutFilter;
  /** The alarm that limits the list to its rollouts; null = no limit. */
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
  /** Compared ranges of steps; null = the first and last quarter. */
  readonly changes: { readonly before: StepRange; readonly after: StepRange } | null;
  /** Scroll positions in pixels, by region. */
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

/** With rewards of only 0 or 1, these two would fill the chart. */
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

/** Resets what belongs to a single run. */
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

/** Merges a stored state into a fresh one; values whose shape has changed since are dropped. */
export function restoreViewState(stored: unknown, fresh: ViewState): ViewState {
  const merged = restored(stored, fresh);
  return {
    ...merged,
    filter: { ...fresh.filter, ...merged.filter },
    search: { ...fresh.search, ...merged.search },
    tab: oneOf(TABS, merged.tab, fresh.tab),
    rolloutPart: oneOf(ROLLOUT_PARTS, merged.rolloutPart, fresh.rolloutPart),
    runPart: oneOf(RUN_PARTS, merged.runPart, fresh.runPart),
    rewardBy: oneOf(REWARD_SPLITS, merged.rewardBy, fresh.rewardBy),
    xAxis: oneOf(X_AXES, merged.xAxis, fresh.xAxis),
  };
}

/** A stored value if it is one of `values`, otherwise `fresh`. */
export function oneOf<Value>(values: readonly Value[], stored: Value, fresh: Value): Value {
  return values.includes(stored) ? stored : fresh;
}

/** Parses a saved filter; values whose shape has changed since are dropped. */
export function parseFilter(json: string): RolloutFilter {
  return restored(parsed(json), NO_FILTER);
}

/** `fresh`, overridden by stored values of the same shape. */
export function restored<State extends object>(stored: unknown, fresh: State): State {
  if (typeof stored !== "object" || stored === null) return fresh;
  const known = Object.entries(stored).filter(
    ([key, value]) => key in fresh && hasShapeOf(fresh[key as keyof State], value), // looked up right before
  );
  return { ...fresh, ...Object.fromEntries(known) };
}

/** Null if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Null means "not chosen", so either side may be null. */
function hasShapeOf(model: unknown, value: unknown): boolean {
  if (model === null || value === null) return value !== undefined;
  return typeof model === typeof value && Array.isArray(model) === Array.isArray(value);
}
