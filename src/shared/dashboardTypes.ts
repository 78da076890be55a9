/** What the dashboard shows of a run, as the extension sends it: no secrets, no absolute home paths, texts bounded. */

import type { RolloutCount } from "./control.ts";
import type { Mark } from "./marks.ts";
import type { RolloutKey } from "./rolloutSet.ts";
import type { RunEnding, RunPhase } from "./runFile.ts";

/** A trainer's phase; `interrupted` when its trainer no longer exists without an end, `unknown` without `run.json`. */
export type RunCondition = RunPhase | "interrupted" | "foreign" | "unknown";

export interface RunListing {
  /** Identifies the run to the extension; the page does not read it. */
  readonly id: string;
  readonly name: string;
  readonly state: RunCondition;
}

export interface RunView extends RunListing {
  readonly attempt: number;
  /** Attempts of which a resume set steps aside, ascending. */
  readonly supersededAttempts: readonly number[];
  /** How many models an evaluation by itself measures; null for a training. */
  readonly evaluatedModels: number | null;
  /** The file name of the configuration of a run of the local demo; null for any other run. */
  readonly demoConfig: string | null;
  /** What it has in the place of rollouts: `trained`, those of a supervised run; `read`, those of a file that was opened to be read. */
  readonly examples: "trained" | "read" | null;
  /** Completed steps. */
  readonly completedSteps: number;
  /** Null = endless or not known. */
  readonly totalSteps: number | null;
  /** Rollouts of the evaluation in progress; null when there is none, and where its trainer is out of reach. */
  readonly evaluated: RolloutCount | null;
  /** What no row counts yet, as evaluations: tokens of all kinds, and USD, null if prices are unknown. */
  readonly laterUsed: { readonly tokens: number; readonly costUsd: number | null };
  /** True while a trainer accepts commands. */
  readonly isControllable: boolean;
  readonly isResumable: boolean;
  /** Why the run ended before it was done; null when it continues, is done, or is unknown. */
  readonly ending: RunEnding | null;
  /** Why a file of the run cannot be read, in words for people. */
  readonly problem: string | null;
  /** The temperatures of training, by environment that was evaluated. */
  readonly trainedAt: Readonly<Record<string, number>>;
  /** How it is doing, without a period; null when nothing is known. */
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

/** An alarm that fires. */
export interface AlarmView {
  /** Identifies the alarm to the extension. */
  readonly id: string;
  readonly title: string;
  readonly severity: "info" | "warning" | "critical";
  /** The step that it began with, counted from 0. */
  readonly step: number;
  /** What was seen, and what that means; sentences. */
  readonly seen: string;
  readonly meaning: string;
  /** Flat name of the metric that the alarm judges, and the number of steps that it looks back over. */
  readonly metric: string;
  readonly steps: number;
  /** True when single rollouts made it. */
  readonly isOfRollouts: boolean;
  /** What `applyAlarm` does to the configuration, for a button; null when no setting helps. */
  readonly fix: string | null;
}

export interface CheckpointView {
  readonly name: string;
  /** Completed steps. */
  readonly step: number;
  readonly kind: string;
  /** The metric of the best checkpoint by the run's configuration; null for all others. */
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
    /** Task by task, from the first evaluation; absent for that one, and below 8 shared tasks. */
    readonly difference?:
      | {
          readonly mean: number;
          readonly low: number | null;
          readonly high: number | null;
        }
      | undefined;
  }[];
}

/** A row of the table of trajectories. */
export interface RolloutRow extends RolloutKey {
  /** How the task's prompt begins. */
  readonly taskText: string;
  readonly environment: string;
  readonly split: string;
  readonly index: number;
  /** 0 = greedy; null for a rollout of training. */
  readonly temperature: number | null;
  /** Name of the model, in an evaluation by itself; absent for the weights of the run. */
  readonly model?: string | undefined;
  /** Null when the rollout failed. */
  readonly reward: number | null;
  /** Null until the step is scored, and for rollouts that were left out. */
  readonly advantage: number | null;
  /** That of each turn with `credit: reward_to_go`; absent otherwise. */
  readonly turnAdvantages?: readonly number[] | undefined;
  /** What its length took off the reward before the advantage was computed. */
  readonly penalty: number;
  /** `trained`, `excluded:` and why; null until the step is scored. */
  readonly trainingUse: string | null;
  readonly turns: number;
  readonly tokens: number;
  readonly toolCalls: number;
  readonly failedToolCalls: number;
  readonly stop: string;
  readonly error: string | null;
  readonly durationMs: number;
  /** Positions in the rollout of the token streams that are stored, ascending. */
  readonly streams: readonly number[];
}

/** What a row shows that is read for rows in sight only. */
export interface RolloutDetail {
  readonly group: number;
  readonly rollout: number;
  /** Mean log-probability by the sampler in equal parts of the trained tokens; null without token data. */
  readonly strip: Float32Array | null;
  /** Mean of the trained tokens' advantages: less penalties and corrections for each token; null without token data. */
  readonly tokenAdvantage: number | null;
}

export interface MarkedRollout extends RolloutKey {
  readonly mark: Mark;
}

/** The marks of a run as the page shows them. */
export interface MarksView {
  /** In the order in which they were first marked. */
  readonly rollouts: readonly MarkedRollout[];
}

/** What the user calls a filter of rollouts; the page alone knows what a filter is. */
export interface SavedFilter {
  readonly name: string;
  /** As JSON. */
  readonly filter: string;
}

/** A text of unknown origin, cut to what a page can show. */
export interface BoundedText {
  readonly text: string;
  /** Characters that were left out at the end. */
  readonly omitted: number;
}

export interface ReplayResult {
  readonly name: string;
  readonly text: BoundedText;
  readonly isError: boolean;
  readonly reward: number | null;
  readonly finished: boolean;
  /** Arguments of a call that an agent made itself; absent for a call of the model. */
  readonly agentArgs?: BoundedText | undefined;
}

export interface ReplayTurn {
  readonly reasoning: BoundedText | null;
  /** Text before the first call. */
  readonly content: BoundedText;
  /** Text behind it. */
  readonly afterCalls: BoundedText;
  /** What the model wrote, with its control tokens. */
  readonly sampled: BoundedText;
  readonly calls: readonly { readonly name: string; readonly args: BoundedText }[];
  readonly errors: readonly { readonly raw: BoundedText; readonly message: string }[];
  readonly results: readonly ReplayResult[];
  readonly nudge: BoundedText | null;
  /** What the model was asked, where the turn begins another conversation of an agent. */
  readonly asked: BoundedText | null;
  readonly stopReason: string;
  readonly tokens: number;
  /** Position in the rollout of the token stream in which the turn was sampled. */
  readonly stream: number;
}

export interface RolloutBody {
  readonly attempt: number;
  readonly system: BoundedText | null;
  readonly tools: readonly { readonly name: string; readonly description: BoundedText }[];
  readonly prompt: BoundedText;
  /** Those of the environment: `[image 1]` in a text is the first. */
  readonly images: readonly {
    /** Name in the run folder. */
    readonly file: string;
    readonly width: number;
    readonly height: number;
    readonly tokens: number;
  }[];
  readonly turns: readonly ReplayTurn[];
  /** Turns that were left out at the end. */
  readonly omittedTurns: number;
  readonly rewards: readonly (number | null)[];
  readonly rewardBreakdown: {
    /** Given by the environment when it compared the group. */
    readonly group: number | null;
    readonly nonterminal: number | null;
    readonly reduction: string;
    readonly reduced: number | null;
    readonly clamped: number | null;
  };
  readonly reward: number | null;
  readonly error: string | null;
  /** How the program of an agent ended; absent where none played. */
  readonly agent?:
    | {
        /** Null when the rollout ended it. */
        readonly exit: string | null;
        readonly output: BoundedText;
        readonly refusals: readonly { readonly message: string; readonly count: number }[];
      }
    | undefined;
}

/** A window of a token stream; all arrays have one entry a token. */
export interface TokenWindow {
  /** Position of the stream in its rollout. */
  readonly stream: number;
  /** Position of the first token. */
  readonly from: number;
  /** Tokens of the whole stream. */
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
  /** 1 where the token is trained on. */
  readonly mask: Uint8Array;
  /** Over the whole stream, so that colors mean the same in every window. */
  readonly ranges: {
    readonly logprobLow: number;
    readonly advantageSize: number;
    readonly differenceSize: number;
    /** Lowest log-probability by the trainer, 0 where none is known. */
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
  /** True when a running trainer takes a new value. */
  readonly isTunable: boolean;
}

export interface ConfigView {
  readonly entries: readonly ConfigEntry[];
  /** Shortened for people; null when not known. */
  readonly path: string | null;
  readonly overrides: readonly string[];
}

/** Named columns of numbers from row `fromRow` on. NaN where a step has no value. */
export interface ColumnPart {
  readonly name: string;
  readonly fromRow: number;
  readonly values: Float64Array;
}

/** What differs in this workspace from the small charts of every run. */
export interface ChosenCharts {
  /** Metrics that are drawn beside those of every run. */
  readonly pinnedMetrics: readonly string[];
  /** Charts of every run that are not drawn, each by the metric that it is about. */
  readonly hiddenCharts: readonly string[];
}

/** The editor's settings of the dashboard, and what was chosen for it in this workspace. */
export interface DashboardSettings extends ChosenCharts {
  /** EMA factor at first, 0 to 0.99. */
  readonly smoothing: number;
  readonly hasSingleKeys: boolean;
  readonly hasLiveRegion: boolean;
  /** Filters of rollouts that the user gave names. */
  readonly savedFilters: readonly SavedFilter[];
  /** True once the user closed what a run of the local demo says about itself. */
  readonly isDemoCardClosed: boolean;
}
