/** What the dashboard shows about a run, as sent by the extension: no secrets, no absolute home paths, text lengths bounded. */

import type { RolloutCount } from "./control.ts";
import type { MeanInterval } from "./interval.ts";
import type { Mark } from "./marks.ts";
import type { RolloutKey, RolloutPosition } from "./rolloutSet.ts";
import type { RunEnding, RunPhase } from "./runFile.ts";

/** A trainer's phase; `interrupted` when the trainer disappeared without reporting an end, `unknown` without `run.json`. */
export type RunCondition = RunPhase | "interrupted" | "foreign" | "unknown";

export interface RunListing {
  /** Identifies the run to the extension; opaque to the page. */
  readonly id: string;
  readonly name: string;
  readonly state: RunCondition;
}

export interface RunView extends RunListing {
  readonly attempt: number;
  /** Attempts whose steps were superseded by a resume, ascending. */
  readonly supersededAttempts: readonly number[];
  /** Number of models in a standalone evaluation; null for a training. */
  readonly evaluatedModels: number | null;
  /** Configuration file name if this is a local demo run; null otherwise. */
  readonly demoConfig: string | null;
  /** Set when rows are examples, not rollouts: `trained` in a supervised run, `read` in a file opened for reading. */
  readonly examples: "trained" | "read" | null;
  /** Completed steps. */
  readonly completedSteps: number;
  /** Null = endless or not known. */
  readonly totalSteps: number | null;
  /** Rollouts of the current evaluation; null when there is none or its trainer cannot be reached. */
  readonly evaluated: RolloutCount | null;
  /** Total tokens and their cost in USD (null if prices are unknown), including evaluations; null if nothing is recorded. */
  readonly used: { readonly tokens: number; readonly costUsd: number | null } | null;
  /** True while a trainer accepts commands. */
  readonly isControllable: boolean;
  readonly isResumable: boolean;
  /** Why the run ended early; null when it is still running, is done, or the reason is unknown. */
  readonly ending: RunEnding | null;
  /** Why one of the run's files cannot be read, as display text. */
  readonly problem: string | null;
  /** Training temperatures by evaluated environment. */
  readonly trainedAt: Readonly<Record<string, number>>;
  /** How the run is doing, without a trailing period; null when nothing is known. */
  readonly sentence: string | null;
  /** The most serious first. */
  readonly alarms: readonly AlarmView[];
}

export interface EventView {
  readonly timeMs: number;
  readonly attempt: number;
  /** Counted from 0; null when the event belongs to no step. */
  readonly step: number | null;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly kind: string;
  readonly message: string;
}

/** An alarm that is firing. */
export interface AlarmView {
  /** Identifies the alarm to the extension. */
  readonly id: string;
  readonly title: string;
  readonly severity: "info" | "warning" | "critical";
  /** The step at which it started, counted from 0. */
  readonly step: number;
  /** What was observed, and what it means; full sentences. */
  readonly seen: string;
  readonly meaning: string;
  /** Flat name of the monitored metric, and the number of steps in its window. */
  readonly metric: string;
  readonly steps: number;
  /** True when individual rollouts triggered it. */
  readonly isOfRollouts: boolean;
  /** Button label for what `applyAlarm` changes in the configuration; null when no setting helps. */
  readonly fix: string | null;
}

export interface CheckpointView {
  readonly name: string;
  /** Completed steps. */
  readonly step: number;
  readonly kind: string;
  /** The metric that makes this the best checkpoint under the run's configuration; null for all others. */
  readonly best: { readonly metric: string; readonly value: number } | null;
  readonly statePath: string | null;
  readonly samplerPath: string | null;
  /** ISO 8601; null = kept until deleted. */
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly reward: number | null;
}

export interface EvaluationView {
  /** Completed steps. */
  readonly step: number;
  /** Absent for the weights of the run itself. */
  readonly model?: { readonly name: string } | undefined;
  readonly results: readonly {
    readonly environment: string;
    readonly split: string;
    /** 0 = greedy. */
    readonly temperature: number;
    readonly rollouts: number;
    readonly rewardMean: number;
    /** Bounds of the 95% confidence interval; null where there is none. */
    readonly low: number | null;
    readonly high: number | null;
    readonly failed: number;
    readonly passAtK: readonly { readonly k: number; readonly mean: number }[];
    /** Per-task difference from the first evaluation; absent for the first one, and below 8 shared tasks. */
    readonly difference?: MeanInterval | undefined;
  }[];
}

/** A row of the rollout table. */
export interface RolloutRow extends RolloutKey {
  /** The beginning of the task's prompt. */
  readonly taskText: string;
  readonly environment: string;
  readonly split: string;
  readonly index: number;
  /** 0 = greedy; null for a training rollout. */
  readonly temperature: number | null;
  /** Model name in a standalone evaluation; absent for the run's own weights. */
  readonly model?: string | undefined;
  /** Null when the rollout failed. */
  readonly reward: number | null;
  /** Null until the step is scored, and for skipped rollouts. */
  readonly advantage: number | null;
  /** Advantage of each turn with `credit: reward_to_go`; absent otherwise. */
  readonly turnAdvantages?: readonly number[] | undefined;
  /** How much the length penalty reduced the reward before the advantage was computed. */
  readonly penalty: number;
  /** `trained`, or `excluded:` and the reason; null until the step is scored. */
  readonly trainingUse: string | null;
  readonly turns: number;
  readonly tokens: number;
  readonly toolCalls: number;
  readonly failedToolCalls: number;
  readonly stop: string;
  readonly error: string | null;
  readonly durationMs: number;
  /** Positions of the rollout's stored token streams, ascending. */
  readonly streams: readonly number[];
}

/** Details that are read only for visible rows. */
export interface RolloutDetail extends RolloutPosition {
  /** Mean sampler log-probability in equal segments of the trained tokens; null without token data. */
  readonly strip: Float32Array | null;
  /** Mean advantage of the trained tokens, after penalties and per-token corrections; null without token data. */
  readonly tokenAdvantage: number | null;
}

export interface MarkedRollout extends RolloutKey {
  readonly mark: Mark;
}

/** A run's marks, as the page shows them. */
export interface MarksView {
  /** In the order in which they were first marked. */
  readonly rollouts: readonly MarkedRollout[];
}

/** A rollout filter saved by the user under a name; only the page interprets its content. */
export interface SavedFilter {
  readonly name: string;
  /** As JSON. */
  readonly filter: string;
}

/** Untrusted text, truncated to what a page can show. */
export interface BoundedText {
  readonly text: string;
  /** Number of characters cut off at the end. */
  readonly omitted: number;
}

export interface ReplayResult {
  readonly name: string;
  readonly text: BoundedText;
  readonly isError: boolean;
  readonly reward: number | null;
  readonly finished: boolean;
  /** Arguments of a call made by an agent's program; absent for a call made by the model. */
  readonly agentArgs?: BoundedText | undefined;
}

export interface ReplayTurn {
  readonly reasoning: BoundedText | null;
  /** Text before the first call. */
  readonly content: BoundedText;
  /** Text after the calls. */
  readonly afterCalls: BoundedText;
  /** The model's raw output with control tokens. */
  readonly sampled: BoundedText;
  readonly calls: readonly { readonly name: string; readonly args: BoundedText }[];
  readonly errors: readonly { readonly raw: BoundedText; readonly message: string }[];
  readonly results: readonly ReplayResult[];
  readonly nudge: BoundedText | null;
  /** The prompt, if the turn starts another of the agent's conversations. */
  readonly asked: BoundedText | null;
  readonly stopReason: string;
  readonly tokens: number;
  /** Position of the token stream in which the turn was sampled. */
  readonly stream: number;
}

export interface RolloutBody {
  readonly attempt: number;
  readonly system: BoundedText | null;
  readonly tools: readonly { readonly name: string; readonly description: BoundedText }[];
  readonly prompt: BoundedText;
  /** Images from the environment: `[image 1]` in a text is the first. */
  readonly images: readonly {
    /** Name in the run folder. */
    readonly file: string;
    readonly width: number;
    readonly height: number;
    readonly tokens: number;
  }[];
  readonly turns: readonly ReplayTurn[];
  /** Number of turns cut off at the end. */
  readonly omittedTurns: number;
  readonly rewards: readonly (number | null)[];
  readonly rewardBreakdown: {
    /** Assigned by the environment when it compared the group. */
    readonly group: number | null;
    readonly nonterminal: number | null;
    readonly reduction: string;
    readonly reduced: number | null;
    readonly clamped: number | null;
  };
  readonly reward: number | null;
  readonly error: string | null;
  /** How the agent's program ended; absent without an agent. */
  readonly agent?:
    | {
        /** Null when the rollout stopped it. */
        readonly exit: string | null;
        readonly output: BoundedText;
        readonly refusals: readonly { readonly message: string; readonly count: number }[];
      }
    | undefined;
}

/** A window of a token stream; each array has one entry per token. */
export interface TokenWindow {
  /** Position of the stream in its rollout. */
  readonly stream: number;
  /** Position of the first token. */
  readonly from: number;
  /** Number of tokens in the whole stream. */
  readonly total: number;
  readonly ids: Int32Array;
  /** Null when no tokenizer could be loaded. */
  readonly texts: readonly string[] | null;
  readonly samplerLogprobs: Float32Array;
  /** NaN where unknown. */
  readonly trainerLogprobs: Float32Array;
  readonly advantages: Float32Array;
  /** -1 for the prompt. */
  readonly turns: Int16Array;
  /** 1 where the token is trained. */
  readonly mask: Uint8Array;
  /** Computed over the whole stream, so that colors mean the same in every window. */
  readonly ranges: {
    readonly logprobLow: number;
    readonly advantageSize: number;
    readonly differenceSize: number;
    /** Lowest trainer log-probability; 0 when none is known. */
    readonly trainerLow: number;
  };
}

export interface TokenPlace {
  /** Position of the stream in its rollout. */
  readonly stream: number;
  /** Position of the token in the stream. */
  readonly index: number;
}

export type ConfigOrigin = "file" | "override" | "default";

export interface ConfigEntry {
  /** Keys joined with dots. */
  readonly key: string;
  readonly path: readonly string[];
  /** As JSON; secrets are null. */
  readonly value: string;
  /** Null when the file of the run cannot be read. */
  readonly origin: ConfigOrigin | null;
  /** True when a running trainer accepts a new value. */
  readonly isTunable: boolean;
}

export interface ConfigView {
  readonly entries: readonly ConfigEntry[];
  /** Shortened for display; null when unknown. */
  readonly path: string | null;
  readonly overrides: readonly string[];
}

/** A named column of numbers starting at row `fromRow`. NaN where a step has no value. */
export interface ColumnPart {
  readonly name: string;
  readonly fromRow: number;
  readonly values: Float64Array;
}

/** The user's choices for the dashboard, stored for this workspace. */
export interface DashboardChoices {
  /** Metrics drawn in addition to the default ones. */
  readonly pinnedMetrics: readonly string[];
  /** Default charts that are hidden, identified by metric. */
  readonly hiddenCharts: readonly string[];
  /** Rollout filters saved by the user. */
  readonly savedFilters: readonly SavedFilter[];
  /** True once the user has closed the card about a local demo run. */
  readonly isDemoCardClosed: boolean;
}

/** The editor's dashboard settings, plus choices stored for this workspace. */
export interface DashboardSettings extends DashboardChoices {
  /** Initial EMA factor, 0 to 0.99. */
  readonly smoothing: number;
  readonly hasSingleKeys: boolean;
  readonly hasLiveRegion: boolean;
}

/** The editor's settings before anyone changes them. */
export const DASHBOARD_DEFAULTS = { smoothing: 0.6, hasSingleKeys: true, hasLiveRegion: true };
