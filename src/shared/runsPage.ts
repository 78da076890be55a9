/** Messages between the extension and the runs table page: no secrets, no absolute paths, text lengths bounded. */

import type { ExportedFile } from "./dashboardMessages.ts";
import type { ColumnPart, RunCondition } from "./dashboardTypes.ts";
import type { MeanInterval, PairedDifference } from "./interval.ts";
import type { Mark } from "./marks.ts";
import type { SweepMeasures } from "./sweepResult.ts";

/** Maximum number of runs compared at once. */
export const MAX_COMPARED = 12;

/** Metrics of the last step that the table can show in addition to the reward. */
export const LISTED_METRICS = [
  "rollout/success_frac",
  "rollout/response_tokens/mean",
  "rollout/turns/mean",
  "loss",
  "optim/kl_sample_train_v2",
  "rollout/entropy",
] as const;
export type ListedMetric = (typeof LISTED_METRICS)[number];

/** The newest result for an environment, split and temperature. */
export interface EvaluationDigest extends MeanInterval {
  /** Completed steps. */
  readonly step: number;
  /** Failed rollouts. */
  readonly failed: number;
  /** Model name; absent for the run's own weights. */
  readonly model?: string;
}

/** A row of the table. */
export interface RunsTableRow {
  /** Identifies the run to the extension. */
  readonly id: string;
  readonly name: string;
  /** Null for a run outside a sweep. */
  readonly sweep: {
    readonly id: string;
    readonly name: string;
    /** Values as given to the sweep, by dotted key. */
    readonly settings: Readonly<Record<string, string>>;
    /** True if its runs are stages, which run one after another. */
    readonly isStages: boolean;
    /** True if a setting that the sweep varies was changed while it ran. */
    readonly hasLeft: boolean;
  } | null;
  /** The `id` of the run whose weights it started from; null if no run in the table is known to be it. */
  readonly from: string | null;
  readonly state: RunCondition;
  /** Context words for the editor's row menu, joined by `+`. */
  readonly words: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAtMs: number | null;
  /** Completed steps. */
  readonly steps: number;
  /** Null = endless or not known. */
  readonly totalSteps: number | null;
  /** Mean reward of the last step. */
  readonly reward: number | null;
  /** The measures by which runs of a sweep are compared; null outside a sweep. */
  readonly swept: Pick<SweepMeasures, "recentReward" | "evaluated"> | null;
  /** Losses of a supervised run in nats per token: mean of the last steps, and newest held-out loss; null for other runs. */
  readonly fit: { readonly now: number; readonly heldOut: number | null } | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  /** Computed from all the run's files; null until they are read. */
  readonly digest: RunDigestView | null;
  /** The user's mark on the run. */
  readonly mark: Mark;
  /** As JSON by dotted key: only values that differ between runs. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface RunDigestView {
  readonly best: { readonly value: number; readonly step: number } | null;
  /** Mean of the mean rewards of all steps. */
  readonly mean: number | null;
  /** Training time, excluding pauses. */
  readonly seconds: number;
  /** Values at the last step. */
  readonly metrics: Partial<Readonly<Record<ListedMetric, number>>>;
  /** Number of firing alarms. */
  readonly alarms: number;
  /** Newest results, by environment, split and temperature. */
  readonly evaluations: Readonly<Record<string, EvaluationDigest>>;
}

/** An evaluation of a run, compared with the baseline's. */
export interface ComparedResult extends MeanInterval {
  /** Completed steps. */
  readonly step: number;
  /** Model name; absent for the run's own weights. */
  readonly model?: string | undefined;
  readonly rollouts: number;
  readonly failed: number;
  /** Mean rewards of the listed tasks; null for tasks the run did not play. */
  readonly tasks: readonly (number | null)[];
  /** Per-task difference from the baseline; null for the baseline itself, and below 8 shared tasks. */
  readonly difference: PairedDifference | null;
}

/** One environment, split and temperature. */
export interface ComparedCell {
  readonly cell: string;
  /** Indexes of the listed tasks, ascending. */
  readonly tasks: readonly number[];
  /** By run id. */
  readonly results: Readonly<Record<string, ComparedResult>>;
}

/** Rows of a compared run. */
export interface RunColumns {
  readonly id: string;
  /** True to discard everything sent before. */
  readonly isReset: boolean;
  /** New metrics. */
  readonly names: readonly string[];
  readonly rows: number;
  readonly steps: ColumnPart | null;
  readonly columns: readonly ColumnPart[];
}

export type RunsPageMessage =
  | { readonly kind: "ready" }
  /** The user's table layout, as JSON; stored with the workspace. */
  | { readonly kind: "keep"; readonly layout: string }
  | { readonly kind: "open"; readonly id: string }
  | { readonly kind: "export"; readonly file: ExportedFile }
  | { readonly kind: "star"; readonly id: string; readonly isOn: boolean }
  /** Ask the user for tags or a note for the run. */
  | { readonly kind: "edit"; readonly id: string; readonly what: "tags" | "note" }
  /** Send these metrics of these runs, and nothing else. */
  | { readonly kind: "compare"; readonly ids: readonly string[]; readonly names: readonly string[] }
  | { readonly kind: "want-evaluations"; readonly ids: readonly string[] }
  /** Show the configurations of two runs in the editor's diff view. */
  | { readonly kind: "diff"; readonly left: string; readonly right: string };

export type RunsHostMessage =
  | {
      readonly kind: "init";
      /** The layout as last stored; null = none. */
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
      /** Number of runs whose files have not been read yet. */
      readonly unread: number;
    }
  /** Curves of the compared runs. */
  | { readonly kind: "columns"; readonly runs: readonly RunColumns[] }
  | {
      readonly kind: "evaluations";
      readonly ids: readonly string[];
      readonly cells: readonly ComparedCell[];
    }
  /** Select these runs for comparison. */
  | { readonly kind: "choose"; readonly ids: readonly string[] }
  /** Show which setting of the sweep mattered. */
  | { readonly kind: "show-sweep"; readonly id: string }
  | { readonly kind: "error"; readonly message: string };
