/** Messages between the extension and the page of the dashboard. The extension checks every message of the page. */

import type { BehaviorReport, ChangesReport, StepRange } from "./changes.ts";
import type {
  CheckpointView,
  ChosenCharts,
  ColumnPart,
  ConfigView,
  DashboardSettings,
  EvaluationView,
  EventView,
  MarksView,
  RolloutBody,
  RolloutDetail,
  RolloutRow,
  RunListing,
  RunView,
  SavedFilter,
  TokenPlace,
  TokenWindow,
} from "./dashboardTypes.ts";
import type { MarkChange } from "./marks.ts";
import type { PackedRows } from "./packedRows.ts";
import type { RolloutKey, RolloutSet, RolloutSource } from "./rolloutSet.ts";
import type { SearchQuery, SearchReport, SearchSnippet } from "./search.ts";
import type { TaskPage, TaskQuery } from "./taskTable.ts";
import type { PackedTimeline } from "./timeline.ts";

/** Tokens in one window of a stream. */
export const TOKENS_PER_WINDOW = 2_000;

/** What the page asks the editor to do; each goes to the handler that the dashboard was given. */
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

/** Arguments of a command. Paths and names come back as the page got them; the extension looks them up again. */
export interface CommandArgs {
  /** Names a checkpoint or an alarm. */
  readonly name?: string;
  /** Keys from the root of the configuration. */
  readonly path?: readonly string[];
  readonly key?: RolloutKey;
  /** The rollout that `key` is compared with, for `diffRollouts`. */
  readonly other?: RolloutKey;
  /** For `markRollout`. */
  readonly mark?: MarkChange;
  /** Counted in the rollout `key`, from 0. */
  readonly turn?: number;
  readonly url?: string;
  /** For `copyText`; for `titleActions`, the commands that the page has no room for, with spaces between. */
  readonly text?: string;
  /** For `exportFile`. */
  readonly file?: ExportedFile;
  /** `key=value` each, for `change-settings`. */
  readonly settings?: readonly string[];
  /** For `copyCheckpointPath`. */
  readonly which?: "state" | "sampler";
}

export interface ExportedFile {
  /** Suggested name with its extension. */
  readonly name: string;
  /** Text, or Base64 of a picture. */
  readonly content: string;
  readonly encoding: "utf8" | "base64";
}

export type DashboardQuestion =
  /** Rollouts of a step or evaluation; the answer comes in pages, and again when it grows. */
  | ({ readonly ask: "rollouts" } & RolloutSet)
  | { readonly ask: "rollout"; readonly key: RolloutKey }
  /** The rollout of the same task, sampled in the same way, in another step or evaluation; answered as `rollout`. */
  | { readonly ask: "counterpart"; readonly key: RolloutKey; readonly set: RolloutSet }
  /** The steps, or evaluations, that have rollouts of the same task. */
  | { readonly ask: "occurrences"; readonly key: RolloutKey }
  /** What only rows in sight show; all keys are of one step or evaluation. */
  | { readonly ask: "details"; readonly keys: readonly RolloutKey[] }
  | {
      readonly ask: "tokens";
      readonly key: RolloutKey;
      readonly stream: number;
      readonly from: number;
    }
  /** The token that a place which was found begins with. */
  | { readonly ask: "found-token"; readonly key: RolloutKey; readonly snippet: SearchSnippet }
  /** Rollouts in whose texts something occurs; the answers come as the search continues. */
  | {
      readonly ask: "search";
      readonly query: SearchQuery;
      /** A step or evaluation of the run, the whole run, or all runs of the window. */
      readonly scope: RolloutSet | "run" | "runs";
    }
  /** Rollouts of a step that made an alarm; the answers come as the search continues. */
  | ({ readonly ask: "evidence"; readonly alarm: string } & RolloutSet)
  /** Where the time of a step or evaluation went. */
  | ({ readonly ask: "timeline" } & RolloutSet)
  /** A page of the table of tasks of a curriculum. */
  | { readonly ask: "tasks"; readonly query: TaskQuery }
  /** What the model does in each step; the answers come as the steps are read. */
  | { readonly ask: "behavior" }
  /** What it says more or less often after than before; the last answer has it. */
  | { readonly ask: "changes"; readonly before: StepRange; readonly after: StepRange }
  /** An image of the run folder, by its name in a rollout. */
  | { readonly ask: "image"; readonly file: string }
  | { readonly ask: "config" }
  /** The named metrics of the steps that were repeated after an attempt. */
  | { readonly ask: "superseded"; readonly attempt: number; readonly names: readonly string[] };

export type PageMessage =
  /** The page has loaded, and needs everything from the beginning. */
  | { readonly kind: "ready" }
  | { readonly kind: "question"; readonly id: number; readonly question: DashboardQuestion }
  /** Withdraws a question. */
  | { readonly kind: "cancel"; readonly id: number }
  /** Shows another run, or one of its rollouts. */
  | { readonly kind: "select-run"; readonly id: string; readonly key?: RolloutKey | undefined }
  /** The filters of rollouts that have names, from now on. */
  | { readonly kind: "keep-filters"; readonly filters: readonly SavedFilter[] }
  /** All metrics that the page shows or has shown: beside those that every page draws, only these are sent. */
  | { readonly kind: "want-columns"; readonly names: readonly string[] }
  /** Which small charts are drawn from now on. */
  | { readonly kind: "choose-charts"; readonly charts: ChosenCharts }
  /** What a run of the local demo says about itself is not shown again. */
  | { readonly kind: "close-demo-card" }
  | { readonly kind: "command"; readonly command: DashboardCommand; readonly args: CommandArgs };

/** All that is small about a run; sent whole, so that there is one way to draw it. */
export interface RunFacts {
  readonly run: RunView;
  readonly runs: readonly RunListing[];
  readonly events: readonly EventView[];
  readonly checkpoints: readonly CheckpointView[];
  readonly evaluations: readonly EvaluationView[];
  /** Steps that have stored rollouts, ascending. */
  readonly rolloutSteps: readonly number[];
  /** Completed steps after which there is an evaluation with stored rollouts, ascending; the last may be in progress. */
  readonly evaluatedSteps: readonly number[];
  readonly marks: MarksView;
}

export type HostMessage =
  /** A run from the beginning: forget all numbers. Columns follow by `append`. */
  | {
      readonly kind: "init";
      readonly settings: DashboardSettings;
      readonly facts: RunFacts;
      /** Names of all metrics of the run, those first that are drawn first; others follow by `append`. */
      readonly names: readonly string[];
    }
  /** As `init`, because a resume replaced steps: the view stays as it is. */
  | { readonly kind: "replace"; readonly facts: RunFacts; readonly names: readonly string[] }
  /** New rows, or the next columns. Values belong to the rows from `fromRow` of each part on. */
  | {
      readonly kind: "append";
      readonly rows: number;
      /** Metrics that the run did not have before. */
      readonly names: readonly string[];
      readonly steps: ColumnPart | null;
      readonly columns: readonly ColumnPart[];
      /** True when nothing more is waiting. */
      readonly isComplete: boolean;
    }
  | { readonly kind: "facts"; readonly facts: Partial<RunFacts> }
  | {
      readonly kind: "rollouts";
      readonly id: number;
      readonly total: number;
      /** Position of the first row; 0 begins the list again. */
      readonly from: number;
      readonly rows: PackedRows<RolloutRow>;
    }
  | (SearchReport & {
      readonly kind: "search";
      readonly id: number;
      /** The run that the hits are of. */
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
      /** False when the run is too long to be looked through. */
      readonly isComplete: boolean;
    }
  | { readonly kind: "details"; readonly id: number; readonly details: readonly RolloutDetail[] }
  | { readonly kind: "tokens"; readonly id: number; readonly window: TokenWindow }
  | { readonly kind: "found-token"; readonly id: number; readonly place: TokenPlace | null }
  | {
      readonly kind: "evidence";
      readonly id: number;
      /** Since the last answer. */
      readonly found: readonly { readonly group: number; readonly rollout: number }[];
      readonly isComplete: boolean;
    }
  | { readonly kind: "timeline"; readonly id: number; readonly timeline: PackedTimeline }
  | { readonly kind: "tasks"; readonly id: number; readonly tasks: TaskPage }
  /** `address` holds the image itself. */
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
  /** Go to the rollouts of a step or evaluation, or to one of them. Follows `init`. */
  | {
      readonly kind: "open";
      readonly source: RolloutSource;
      readonly step: number;
      readonly rollout: { readonly group: number; readonly rollout: number } | null;
    }
  /** Go to the search in all runs. Follows `init`. */
  | { readonly kind: "open-search" }
  /** Go to what an alarm rests on, where the alarm fires. Follows `init`. */
  | { readonly kind: "show-alarm"; readonly alarm: string }
  /** A run of the listing has begun, while the page shows another one. Follows `init`. */
  | { readonly kind: "offer-run"; readonly run: string }
  /** The folder of the run that was shown is no longer exists. */
  | {
      readonly kind: "gone";
      readonly settings: DashboardSettings;
      /** Shortened for people. */
      readonly folder: string;
      /** Those that can be shown in its place. */
      readonly runs: readonly RunListing[];
    }
  /** There is no run to show. */
  | { readonly kind: "empty"; readonly settings: DashboardSettings };
