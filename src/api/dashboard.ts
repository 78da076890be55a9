/** What the window and its server say to each other about a dashboard. Messages of the page pass the window unread. Loads nothing. */

import type { FiringAlarm } from "../core/alarms/alarmEvents.ts";
import type { CommandArgs, DashboardCommand } from "../shared/dashboardMessages.ts";
import type { DashboardSettings, RunListing, RunView } from "../shared/dashboardTypes.ts";
import type { RolloutSet } from "../shared/rolloutSet.ts";
import type { ReportsProgress } from "./requests.ts";

export const DASHBOARD_REQUESTS = {
  /**
   * An {@link OpenDashboardRequest} lasts as long as its page: it reports {@link DashboardReport}s, and canceling it ends the session.
   * It is answered with the `RequestOutcome` of null.
   */
  open: "tinkerRL/dashboard/open",
} as const;

/** A {@link DashboardTold}, from the window. */
export const DASHBOARD_TELL = "tinkerRL/dashboard/tell";

/** A {@link DashboardOrder}, which the window answers with null once it is done. */
export const DASHBOARD_COMMAND = "tinkerRL/dashboard/command";

/** A run as the window knows it. */
export interface WindowRun extends Pick<RunListing, "name" | "state"> {
  readonly folder: string;
  readonly evaluated: RunView["evaluated"];
  /** True for a folder that was opened from elsewhere, in which nothing is written. */
  readonly isReadOnly: boolean;
}

/** A step or evaluation, or one of its rollouts; or what an alarm rests on. */
export type DashboardTarget =
  | (RolloutSet & {
      readonly rollout: { readonly group: number; readonly rollout: number } | null;
    })
  | { readonly alarm: string };

/** Its `progressToken` names the dashboard. */
export interface OpenDashboardRequest extends ReportsProgress {
  /** The run to show; null = the newest. */
  readonly folder: string | null;
  readonly isVisible: boolean;
  /** The newest first. */
  readonly runs: readonly WindowRun[];
  readonly settings: DashboardSettings;
  /** Paths inside of these are shown from there. */
  readonly workspaceFolders: readonly string[];
}

export interface DashboardTold {
  /** The `progressToken` of the request that opened it. */
  readonly dashboard: string;
  readonly what: DashboardNews;
}

export type DashboardNews =
  /** Of the page; the session checks it. */
  | { readonly kind: "message"; readonly message: unknown }
  | { readonly kind: "visible"; readonly isVisible: boolean }
  | { readonly kind: "show"; readonly folder: string; readonly target: DashboardTarget | null }
  | { readonly kind: "offer"; readonly folder: string }
  | { readonly kind: "search" }
  /** The list of runs, or one of them, has changed. */
  | { readonly kind: "runs"; readonly runs: readonly WindowRun[] }
  | { readonly kind: "run"; readonly run: WindowRun };

export type DashboardReport =
  /** From now on the server hears what it is told. */
  | { readonly kind: "opened" }
  /** A message for the page, as JSON with typed arrays. */
  | { readonly kind: "post"; readonly json: string }
  /** The run that is shown from now on. */
  | { readonly kind: "shown"; readonly folder: string }
  /** What the person added or named, to be kept with the workspace. */
  | ({ readonly kind: "keep" } & Partial<
      Pick<DashboardSettings, "pinnedMetrics" | "savedFilters">
    >);

/** What the page asks of the window, about the run in `folder`. */
export interface DashboardOrder {
  readonly dashboard: string;
  readonly command: DashboardCommand;
  readonly folder: string;
  readonly args: CommandArgs;
  /** That `args` names; null = none. */
  readonly alarm: FiringAlarm | null;
}
