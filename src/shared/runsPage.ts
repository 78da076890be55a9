/** Messages between the extension and the page of the runs table, and what they hold: no secrets, no absolute paths, texts bounded. */

import type { ExportedFile } from "./dashboardMessages.ts";
import type { ColumnPart, RunCondition } from "./dashboardTypes.ts";
import type { Mark } from "./marks.ts";
import type { SweepMeasures } from "./sweepResult.ts";

/** So many runs are compared at once. */
export const MAX_COMPARED = 12;

/** Metrics of the last step that the table can show beside the reward. */
export const LISTED_METRICS = [
  "rollout/success_frac",
  "rollout/response_tokens/mean",
  "rollout/turns/mean",
  "loss",
  "optim/kl_sample_train_v2",
  "rollout/entropy",
] as const;
export type ListedMetric = (typeof LISTED_METRICS)[number];

export interface MeanInterval {
  readonly mean: number;
  /** Bounds of the 95% confidence interval; null where there is none. */
  readonly low: number | null;
  readonly high: number | null;
}

/** The newest result of an environment, split and temperature. */
export interface EvaluationDigest extends MeanInterval {
  /** Completed steps. */
  readonly step: number;
  /** Rollouts. */
  readonly failed: number;
  /** Name of the model; absent for the weights of the run. */
  readonly model?: string;
}

/** A row of the table. */
export interface RunsTableRow {
  /** Identifies the run to the extension. */
  readonly id: string;
  readonly name: string;
  /** Null for a run of its own. */
  readonly sweep: {
    readonly id: string;
    readonly name: string;
    /** Values as the sweep was given them, by dotted key. */
    readonly settings: Readonly<Record<string, string>>;
    /** True where its runs are stages, which follow one another. */
    readonly isStages: boolean;
  } | null;
  /** The `id` of the run whose weights it began with; null where none of the table is known to be that. */
  readonly from: string | null;
  readonly state: RunCondition;
  /** What the editor's menu of the row depends on: words, joined by `+`. */
  readonly words: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAtMs: number | null;
  /** Completed steps. */
  readonly steps: number;
  /** Null = endless or not known. */
  readonly totalSteps: number | null;
  /** Mean reward of the last step. */
  readonly reward: number | null;
  /** By what runs of a sweep are compared; null for a run of none. */
  readonly swept: Pick<SweepMeasures, "recentReward" | "evaluated"> | null;
  /** Losses of a supervised run in nats a token: the mean of the last steps, and the newest of what is held out; null for another run. */
  readonly fit: { readonly now: number; readonly heldOut: number | null } | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  /** What follows from all files of the run; null until they were read. */
  readonly digest: RunDigestView | null;
  /** What a person gave to the run. */
  readonly mark: Mark;
  /** As JSON, by dotted key: the values that are not the same in all runs. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface RunDigestView {
  readonly best: { readonly value: number; readonly step: number } | null;
  /** Mean over the mean rewards of all steps. */
  readonly mean: number | null;
  /** Time of training, excluding pauses. */
  readonly seconds: number;
  /** Values of the last step. */
  readonly metrics: Partial<Readonly<Record<ListedMetric, number>>>;
  /** How many alarms fire. */
  readonly alarms: number;
  /** The newest result, by environment, split and temperature. */
  readonly evaluations: Readonly<Record<string, EvaluationDigest>>;
}

/** An evaluation of a run beside that of the baseline. */
export interface ComparedResult extends MeanInterval {
  /** Completed steps. */
  readonly step: number;
  /** Name of the model; absent for the weights of the run. */
  readonly model?: string | undefined;
  readonly rollouts: number;
  readonly failed: number;
  /** Mean rewards of the listed tasks; null where the run has none. */
  readonly tasks: readonly (number | null)[];
  /** Task by task, less the baseline; null for the baseline, and where fewer than 8 tasks are shared. */
  readonly difference:
    | (MeanInterval & {
        readonly tasks: number;
        readonly better: number;
        readonly worse: number;
      })
    | null;
}

/** One environment, split and temperature. */
export interface ComparedCell {
  readonly cell: string;
  /** Indexes of the tasks that are listed, ascending. */
  readonly tasks: readonly number[];
  /** By id of the run. */
  readonly results: Readonly<Record<string, ComparedResult>>;
}

/** Rows of a run that is compared. */
export interface RunColumns {
  readonly id: string;
  /** True when what was sent before is void. */
  readonly isReset: boolean;
  /** Metrics that are new. */
  readonly names: readonly string[];
  readonly rows: number;
  readonly steps: ColumnPart | null;
  readonly columns: readonly ColumnPart[];
}

export type RunsPageMessage =
  | { readonly kind: "ready" }
  /** What the person has arranged, as JSON; kept with the workspace. */
  | { readonly kind: "keep"; readonly layout: string }
  | { readonly kind: "open"; readonly id: string }
  | { readonly kind: "export"; readonly file: ExportedFile }
  | { readonly kind: "star"; readonly id: string; readonly isOn: boolean }
  /** Ask the person for tags or a note of the run. */
  | { readonly kind: "edit"; readonly id: string; readonly what: "tags" | "note" }
  /** Send these metrics of these runs, and of no others. */
  | { readonly kind: "compare"; readonly ids: readonly string[]; readonly names: readonly string[] }
  | { readonly kind: "want-evaluations"; readonly ids: readonly string[] }
  /** Show the configurations of two runs in the editor's own comparison. */
  | { readonly kind: "diff"; readonly left: string; readonly right: string };

export type RunsHostMessage =
  | {
      readonly kind: "init";
      /** As the page had it kept last; null = nothing. */
      readonly layout: string | null;
      readonly hasSingleKeys: boolean;
    }
  /** New and changed rows. */
  | {
      readonly kind: "rows";
      readonly rows: readonly RunsTableRow[];
      /** Ids of runs that no longer exist. */
      readonly removed: readonly string[];
      /** Keys whose values differ between the runs. */
      readonly settingKeys: readonly string[];
      /** Runs whose files are still to be read. */
      readonly unread: number;
    }
  /** Curves of the compared runs. */
  | { readonly kind: "columns"; readonly runs: readonly RunColumns[] }
  | {
      readonly kind: "evaluations";
      readonly ids: readonly string[];
      readonly cells: readonly ComparedCell[];
    }
  /** Choose these runs for comparison. */
  | { readonly kind: "choose"; readonly ids: readonly string[] }
  /** Show which setting of the sweep mattered. */
  | { readonly kind: "show-sweep"; readonly id: string }
  | { readonly kind: "error"; readonly message: string };
