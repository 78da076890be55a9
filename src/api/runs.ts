/** Requests between this extension and its server about a window's runs. */

import * as z from "zod";
import type { FiringAlarm } from "../core/alarms/alarmEvents.ts";
import type { ListedRun } from "../core/runs/runList.ts";
import { controlCommandSchema } from "../node/control/messages.ts";
import type { RunStatus } from "../shared/control.ts";

export const RUN_REQUESTS = {
  /**
   * A {@link WatchRunsRequest} lives as long as its window and reports {@link RunListReport}s. It is answered with the `RequestOutcome` of
   * null.
   */
  watch: "tinkerRL/runs/watch",
  /**
   * A {@link LookRequest} replaces earlier ones, and is answered with the `RequestOutcome` of null once the list has been read and
   * reported.
   */
  look: "tinkerRL/runs/look",
  /** A {@link SendRequest}, answered with the `RequestOutcome` of what the trainer will do, as a sentence. */
  send: "tinkerRL/run/send",
  /**
   * A {@link FollowRunRequest} lives as long as someone views the run: it reports a {@link RunReport} after each read, and once more when
   * it is canceled. It is answered with the `RequestOutcome` of null.
   */
  follow: "tinkerRL/run/follow",
  /** A {@link RunFolderRequest}, answered with the `RequestOutcome` of the run's `FiringAlarm`s, most serious first. */
  alarms: "tinkerRL/run/alarms",
  /** A {@link RunFolderRequest}, answered with the `RequestOutcome` of the run's event log as text. */
  log: "tinkerRL/run/log",
} as const;

/** A run in the list. Its `name` is the display name from `shownNames`. */
export interface RunEntry extends ListedRun {
  /** Its trainer's last report; null if no trainer is running or reachable. */
  readonly status: RunStatus | null;
  /** Highest mean reward over five consecutive steps; null if there is none, or outside a sweep, because then not all rows are read. */
  readonly best: number | null;
  /** True while a trainer is running it. */
  readonly isLive: boolean;
}

const folders = z.array(z.string()).readonly();

const runPlacesSchema = z
  .object({
    /** Folders that hold runs. */
    parents: folders,
    /** Folders of individual runs elsewhere, which must not be written to. */
    opened: folders,
    /** The user's names for runs, by folder. */
    names: z.record(z.string(), z.string()).readonly(),
    /** Folders of runs hidden from the runs table. */
    archived: folders,
  })
  .readonly();

/** Where the window's runs are, and what the user said about them. */
export type RunPlaces = z.infer<typeof runPlacesSchema>;

export const lookRequestSchema = z.object({ places: runPlacesSchema }).readonly();
export type LookRequest = z.infer<typeof lookRequestSchema>;

const progressToken = z.string();

export const watchRunsRequestSchema = z.object({ progressToken }).readonly();
export type WatchRunsRequest = z.infer<typeof watchRunsRequestSchema>;

export type RunListReport =
  /** A batch of runs of a list in progress. */
  | { readonly kind: "part"; readonly runs: readonly RunEntry[] }
  /** The list is complete; runs not in it are gone. */
  | { readonly kind: "list"; readonly folders: readonly string[] }
  | { readonly kind: "run"; readonly run: RunEntry };

export const sendRequestSchema = z
  .object({ folder: z.string(), command: controlCommandSchema })
  .readonly();
export type SendRequest = z.infer<typeof sendRequestSchema>;

export const followRunRequestSchema = z.object({ progressToken, folder: z.string() }).readonly();
export type FollowRunRequest = z.infer<typeof followRunRequestSchema>;

/** The result of reading a run. */
export interface RunReport {
  /** The most serious first. */
  readonly alarms: readonly FiringAlarm[];
  /** True if its list of steps and evaluations, or their data, may have changed. */
  readonly hasSteps: boolean;
  readonly hasEvents: boolean;
}

export const runFolderRequestSchema = z.object({ folder: z.string() }).readonly();
export type RunFolderRequest = z.infer<typeof runFolderRequestSchema>;
