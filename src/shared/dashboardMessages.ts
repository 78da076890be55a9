/** Messages between the extension and the dashboard page. The extension validates every message from the page. */

import type { BehaviorReport, ChangesReport, StepRange } from "./changes.ts";
import type {
  CheckpointView,
  ColumnPart,
  ConfigView,
  DashboardChoices,
  DashboardSettings,
  EvaluationView,
  EventView,
  MarksView,
  RolloutBody,
  RolloutDetail,
  RolloutRow,
  RunListing,
  RunView,
  TokenPlace,
  TokenWindow,
} from "./dashboardTypes.ts";
import type { MarkChange } from "./marks.ts";
import type { PackedRows } from "./packedRows.ts";
import type { RolloutKey, RolloutPosition, RolloutSet, RolloutSource } from "./rolloutSet.ts";
import type { SearchQuery, SearchReport, SearchSnippet } from "./search.ts";
import type { TaskPage, TaskQuery } from "./taskTable.ts";
import type { PackedTimeline } from "./timeline.ts";

/** Tokens per window of a stream. */
export const TOKENS_PER_WINDOW = 2_000;

/** What the page asks the editor to do; each is routed to the handler that the dashboard was created with. */
export const DASHBOARD_COMMANDS = [
  "pause",
  "continue",
  "saveNow",
  "stop",
  "stopNow",
  "resume",
  "change-settings",
  "copyCheckpointPath",
  "startFromCheckpoint",
  "branchFromCheckpoint",
  "evaluateCheckpoint",
  "chatWithCheckpoint",
  "downloadCheckpoint",
  "keepCheckpoint",
  "deleteCheckpoint",
  "openConfigAt",
  "applyAlarm",
  "resumeBeforeAlarm",
  "openRolloutJson",
  "diffRollouts",
  "markRollout",
  "continueFromHere",
  "openRunFolder",
  "importRun",
  "ownEnvironment",
  "openLog",
  "exportFile",
  "openLink",
  "copyText",
  "titleActions",
] as const;

export type DashboardCommand = (typeof DASHBOARD_COMMANDS)[number];

/** Arguments of a command. Paths and names are echoed back by the page; the extension looks them up again. */
export interface CommandArgs {
  /** The checkpoint or alarm. */
  readonly name?: string;
  /** Keys from the root of the configuration. */
  readonly path?: readonly string[];
  readonly key?: RolloutKey;
  /** The rollout that `key` is compared with, for `diffRollouts`. */
  readonly other?: RolloutKey;
  /** For `markRollout`. */
  readonly mark?: MarkChange;
  /** Turn in the rollout `key`, from 0. */
  readonly turn?: number;
  readonly url?: string;
  /** For `copyText`; for `titleActions`, the commands that do not fit on the page, separated by spaces. */
  readonly text?: string;
  /** For `exportFile`. */
  readonly file?: ExportedFile;
  /** `key=value` each, for `change-settings`. */
  readonly settings?: readonly string[];
  /** For `copyCheckpointPath`. */
  readonly which?: "state" | "sampler";
}

export interface ExportedFile {
  /** Suggested file name with extension. */
  readonly name: string;
  /** Text, or an image in Base64. */
  readonly content: string;
  readonly encoding: "utf8" | "base64";
}

export type DashboardQuestion =
  /** Rollouts of a step or evaluation; answered in pages, and again when the list grows. */
  | ({ readonly ask: "rollouts" } & RolloutSet)
  | { readonly ask: "rollout"; readonly key: RolloutKey }
  /** The rollout of the same task with the same sampling settings in another step or evaluation; answered as `rollout`. */
  | { readonly ask: "counterpart"; readonly key: RolloutKey; readonly set: RolloutSet }
  /** The steps, or evaluations, that have rollouts of the same task. */
  | { readonly ask: "occurrences"; readonly key: RolloutKey }
  /** Details that only visible rows show; all keys are from one step or evaluation. */
  | { readonly ask: "details"; readonly keys: readonly RolloutKey[] }
  | {
      readonly ask: "tokens";
      readonly key: RolloutKey;
      readonly stream: number;
      readonly from: number;
    }
  /** The token where a search match begins. */
  | { readonly ask: "found-token"; readonly key: RolloutKey; readonly snippet: SearchSnippet }
  /** Rollouts whose texts match a query; answers arrive as the search proceeds. */
  | {
      readonly ask: "search";
      readonly query: SearchQuery;
      /** A step or evaluation of the run, the whole run, or all runs in the window. */
      readonly scope: RolloutSet | "run" | "runs";
    }
  /** Rollouts of a step that triggered an alarm; answers arrive as the search proceeds. */
  | ({ readonly ask: "evidence"; readonly alarm: string } & RolloutSet)
  /** Where the time of a step or evaluation was spent. */
  | ({ readonly ask: "timeline" } & RolloutSet)
  /** A page of a curriculum's task table. */
  | { readonly ask: "tasks"; readonly query: TaskQuery }
  /** The model's behavior per step; answers arrive as steps are read. */
  | { readonly ask: "behavior" }
  /** Which phrases are more or less frequent in `after` than in `before`; the last answer is complete. */
  | { readonly ask: "changes"; readonly before: StepRange; readonly after: StepRange }
  /** An image in the run folder, by its name in a rollout. */
  | { readonly ask: "image"; readonly file: string }
  | { readonly ask: "config" }
  /** The given metrics for steps that were superseded after an attempt. */
  | { readonly ask: "superseded"; readonly attempt: number; readonly names: readonly string[] };

export type PageMessage =
  /** The page has loaded and needs the full state. */
  | { readonly kind: "ready" }
  | { readonly kind: "question"; readonly id: number; readonly question: DashboardQuestion }
  /** Withdraws a question. */
  | { readonly kind: "cancel"; readonly id: number }
  /** Switches to another run, or to one of its rollouts. */
  | { readonly kind: "select-run"; readonly id: string; readonly key?: RolloutKey | undefined }
  /** Changed choices to store. */
  | { readonly kind: "keep"; readonly change: Partial<DashboardChoices> }
  /** All metrics that the page shows or has shown; only these are sent, plus those that every page draws. */
  | { readonly kind: "want-columns"; readonly names: readonly string[] }
  | { readonly kind: "command"; readonly command: DashboardCommand; readonly args: CommandArgs };

/** The small facts about a run. Always sent whole, so there is only one way to draw them. */
export interface RunFacts {
  readonly run: RunView;
  readonly runs: readonly RunListing[];
  readonly events: readonly EventView[];
  readonly checkpoints: readonly CheckpointView[];
  readonly evaluations: readonly EvaluationView[];
  /** Steps with stored rollouts, ascending. */
  readonly rolloutSteps: readonly number[];
  /** Completed steps at which there is an evaluation with stored rollouts, ascending; the last may be in progress. */
  readonly evaluatedSteps: readonly number[];
  readonly marks: MarksView;
}

export type HostMessage =
  /** A new run: discard all numbers. Columns follow in `append`. */
  | {
      readonly kind: "init";
      readonly settings: DashboardSettings;
      readonly facts: RunFacts;
      /** Names of all the run's metrics, those drawn first leading; new ones follow in `append`. */
      readonly names: readonly string[];
    }
  /** Like `init`, after a resume replaced steps; the view stays as it is. */
  | { readonly kind: "replace"; readonly facts: RunFacts; readonly names: readonly string[] }
  /** New rows, or more columns. The values of each part start at its `fromRow`. */
  | {
      readonly kind: "append";
      readonly rows: number;
      /** Metrics that the run did not have before. */
      readonly names: readonly string[];
      readonly steps: ColumnPart | null;
      readonly columns: readonly ColumnPart[];
      /** True when nothing more is pending. */
      readonly isComplete: boolean;
    }
  | { readonly kind: "facts"; readonly facts: Partial<RunFacts> }
  | {
      readonly kind: "rollouts";
      readonly id: number;
      readonly total: number;
      /** Position of the first row; 0 restarts the list. */
      readonly from: number;
      readonly rows: PackedRows<RolloutRow>;
    }
  | (SearchReport & {
      readonly kind: "search";
      readonly id: number;
      /** The run that the hits belong to. */
      readonly run: Pick<RunListing, "id" | "name">;
    })
  | (BehaviorReport & { readonly kind: "behavior"; readonly id: number })
  | (ChangesReport & { readonly kind: "changes"; readonly id: number })
  | {
      readonly kind: "rollout";
      readonly id: number;
      readonly key: RolloutKey;
      readonly body: RolloutBody;
    }
  | {
      readonly kind: "occurrences";
      readonly id: number;
      /** Ascending. */
      readonly sets: readonly RolloutSet[];
      /** False when the run is too long to search completely. */
      readonly isComplete: boolean;
    }
  | { readonly kind: "details"; readonly id: number; readonly details: readonly RolloutDetail[] }
  | { readonly kind: "tokens"; readonly id: number; readonly window: TokenWindow }
  | { readonly kind: "found-token"; readonly id: number; readonly place: TokenPlace | null }
  | {
      readonly kind: "evidence";
      readonly id: number;
      /** Since the last answer. */
      readonly found: readonly RolloutPosition[];
      readonly isComplete: boolean;
    }
  | { readonly kind: "timeline"; readonly id: number; readonly timeline: PackedTimeline }
  | { readonly kind: "tasks"; readonly id: number; readonly tasks: TaskPage }
  /** `address` contains the image data. */
  | { readonly kind: "image"; readonly id: number; readonly address: string }
  | { readonly kind: "config"; readonly id: number; readonly config: ConfigView }
  | {
      readonly kind: "superseded";
      readonly id: number;
      readonly steps: Float64Array;
      readonly columns: readonly ColumnPart[];
    }
  /** Answers a question, or a command when `id` is null. */
  | { readonly kind: "error"; readonly id: number | null; readonly message: string }
  /** Open the rollouts of a step or evaluation, or one of them. Follows `init`. */
  | {
      readonly kind: "open";
      readonly source: RolloutSource;
      readonly step: number;
      readonly rollout: RolloutPosition | null;
    }
  /** Open the search across all runs. Follows `init`. */
  | { readonly kind: "open-search" }
  /** Show the data behind an alarm if it is firing. Follows `init`. */
  | { readonly kind: "show-alarm"; readonly alarm: string }
  /** A page of the browser has stored choices. */
  | { readonly kind: "settings"; readonly settings: DashboardSettings }
  /** A listed run has started while the page shows another one. Follows `init`. */
  | { readonly kind: "offer-run"; readonly run: string }
  /** The folder of the run being shown no longer exists. */
  | {
      readonly kind: "gone";
      readonly settings: DashboardSettings;
      /** Shortened for display. */
      readonly folder: string;
      /** Runs that can be shown instead. */
      readonly runs: readonly RunListing[];
    }
  /** There is no run to show. */
  | { readonly kind: "empty"; readonly settings: DashboardSettings };
