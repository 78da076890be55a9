/** What an editor of this package and its server say to each other about the runs of a window. */

import * as z from "zod";
import type { FiringAlarm } from "../core/alarms/alarmEvents.ts";
import type { ListedRun } from "../core/runs/runList.ts";
import { controlCommandSchema } from "../node/control/messages.ts";
import type { RunStatus } from "../shared/control.ts";

export const RUN_REQUESTS = {
  /** A {@link WatchRunsRequest} lasts as long as its window, and reports {@link RunListReport}s. It is answered with the `RequestOutcome` of null. */
  watch: "tinkerRL/runs/watch",
  /** A {@link LookRequest}, in place of those before, answered with the `RequestOutcome` of null once the list is read and reported. */
  look: "tinkerRL/runs/look",
  /** A {@link SendRequest}, answered with the `RequestOutcome` of what the trainer will do, as a sentence. */
  send: "tinkerRL/run/send",
  /**
   * A {@link FollowRunRequest} lasts as long as someone looks at the run: it reports a {@link RunReport} after each reading, and once more
   * when it is canceled. It is answered with the `RequestOutcome` of null.
   */
  follow: "tinkerRL/run/follow",
  /** A {@link RunFolderRequest}, answered with the `RequestOutcome` of the `FiringAlarm`s of a run, the most serious first. */
  alarms: "tinkerRL/run/alarms",
  /** A {@link RunFolderRequest}, answered with the `RequestOutcome` of what happened in the run, as text. */
  log: "tinkerRL/run/log",
} as const;

/** A run of the list. Its `name` is what people call it, as `shownNames` gives it. */
export interface RunEntry extends ListedRun {
  /** What its trainer reported last; null when none is at work, or it cannot be reached. */
  readonly status: RunStatus | null;
  /** The highest mean reward over five steps in a row; null for a run of no sweep, whose rows are not all read, and without such a mean. */
  readonly best: number | null;
  /** True while a trainer is at work on it. */
  readonly isLive: boolean;
}

const folders = z.array(z.string()).readonly();

const runPlacesSchema = z
  .object({
    /** Folders that hold runs. */
    parents: folders,
    /** Folders of runs that lie elsewhere, in which nothing is written. */
    opened: folders,
    /** Names that the user gave to runs, by folder. */
    names: z.record(z.string(), z.string()).readonly(),
    /** Folders of runs that the runs table leaves out. */
    archived: folders,
  })
  .readonly();

/** Where the runs of a window lie, and what the user said of them. */
export type RunPlaces = z.infer<typeof runPlacesSchema>;

export const lookRequestSchema = z.object({ places: runPlacesSchema }).readonly();
export type LookRequest = z.infer<typeof lookRequestSchema>;

const progressToken = z.string();

export const watchRunsRequestSchema = z.object({ progressToken }).readonly();
export type WatchRunsRequest = z.infer<typeof watchRunsRequestSchema>;

export type RunListReport =
  /** Runs of a list that is on its way. */
  | { readonly kind: "part"; readonly runs: readonly RunEntry[] }
  /** The list is complete: other runs are gone. */
  | { readonly kind: "list"; readonly folders: readonly string[] }
  | { readonly kind: "run"; readonly run: RunEntry };

export const sendRequestSchema = z
  .object({ folder: z.string(), command: controlCommandSchema })
  .readonly();
export type SendRequest = z.infer<typeof sendRequestSchema>;

export const followRunRequestSchema = z.object({ progressToken, folder: z.string() }).readonly();
export type FollowRunRequest = z.infer<typeof followRunRequestSchema>;

/** What a reading of a run has found. */
export interface RunReport {
  /** The most serious first. */
  readonly alarms: readonly FiringAlarm[];
  /** True when its list of steps and evaluations, or what it says of them, may be another. */
  readonly hasSteps: boolean;
  readonly hasEvents: boolean;
}

export const runFolderRequestSchema = z.object({ folder: z.string() }).readonly();
export type RunFolderRequest = z.infer<typeof runFolderRequestSchema>;
