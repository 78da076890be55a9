/** What the window and its server say to each other about pages. Messages of a page pass the window unread. Loads nothing. */

import type { FiringAlarm } from "../core/alarms/alarmEvents.ts";
import type { CommandArgs, DashboardCommand, ExportedFile } from "../shared/dashboardMessages.ts";
import type { ChosenCharts, DashboardSettings } from "../shared/dashboardTypes.ts";
import type { RolloutSet } from "../shared/rolloutSet.ts";
import type { ReportsProgress } from "./requests.ts";

export const PAGE_REQUESTS = {
  /**
   * An {@link OpenPageRequest} lasts as long as its page: it reports {@link PageReport}s, and canceling it ends the session. It is
   * answered with the `RequestOutcome` of null.
   */
  open: "tinkerRL/page/open",
} as const;

/** A {@link PageSent}, from the window. */
export const PAGE_NEWS = "tinkerRL/page/news";

/** A {@link PageOrder}, which the window answers once it is done: a question with the text, or null where the person went away from it; all else with null. */
export const PAGE_ORDER = "tinkerRL/page/order";

/** What the person arranged in pages. */
export interface Kept
  extends ChosenCharts,
    Pick<DashboardSettings, "savedFilters" | "isDemoCardClosed"> {
  /** Of the runs table, as its page wrote it; null = nothing was arranged yet. */
  readonly layout: string | null;
}

export interface PageSettings extends DashboardSettings, Kept {}

/** A step or evaluation, or one of its rollouts; or what an alarm rests on. */
export type DashboardTarget =
  | (RolloutSet & {
      readonly rollout: { readonly group: number; readonly rollout: number } | null;
    })
  | { readonly alarm: string };

export type WindowPage =
  /** `folder` is the run to show; null = the newest. */
  { readonly kind: "dashboard"; readonly folder: string | null } | { readonly kind: "runs" };

/** What pages have from the window. */
export interface PageSurroundings {
  readonly settings: PageSettings;
  /** Paths inside of these are shown from there. */
  readonly workspaceFolders: readonly string[];
  /** The file for what was read of all runs; null = it is not kept. */
  readonly cachePath: string | null;
}

/** Its `progressToken` names the page. */
export interface OpenPageRequest extends PageSurroundings, ReportsProgress {
  readonly page: WindowPage;
  readonly isVisible: boolean;
}

export interface PageSent {
  /** The `progressToken` of the request that opened it. */
  readonly page: string;
  readonly what: PageNews;
}

export type PageNews =
  /** Of the page; the session checks it. */
  | { readonly kind: "message"; readonly message: unknown }
  | { readonly kind: "visible"; readonly isVisible: boolean }
  /** For the next page that loads. */
  | { readonly kind: "settings"; readonly settings: PageSettings }
  /** For a dashboard. */
  | { readonly kind: "show"; readonly folder: string; readonly target: DashboardTarget | null }
  | { readonly kind: "offer"; readonly folder: string }
  | { readonly kind: "search" }
  /** For a runs table: runs to compare. */
  | { readonly kind: "choose"; readonly folders: readonly string[] }
  /** For a runs table: the sweep whose settings it compares. */
  | { readonly kind: "show-sweep"; readonly id: string }
  /** For a runs table: a run to which somebody gave marks. */
  | { readonly kind: "marked"; readonly folder: string };

export type PageReport =
  /** From now on the server hears what is sent. */
  | { readonly kind: "opened" }
  /** A message for the page, as JSON with typed arrays. */
  | { readonly kind: "post"; readonly json: string }
  /** The run that a dashboard shows from now on. */
  | { readonly kind: "shown"; readonly folder: string }
  /** What the person arranged, to be kept with the workspace. */
  | { readonly kind: "keep"; readonly change: Partial<Kept> };

/** What a page asks of the window. */
export type PageOrder =
  | {
      readonly kind: "command";
      readonly command: DashboardCommand;
      /** Of the run that the dashboard shows. */
      readonly folder: string;
      readonly args: CommandArgs;
      /** That `args` names; null = none. */
      readonly alarm: FiringAlarm | null;
    }
  | { readonly kind: "open-run"; readonly folder: string }
  | { readonly kind: "save"; readonly file: ExportedFile }
  /** The tags, separated by commas, or the note of a run. */
  | {
      readonly kind: "ask";
      readonly what: "tags" | "note";
      readonly name: string;
      readonly value: string;
    }
  /** The configurations of two run folders beside each other. */
  | { readonly kind: "diff"; readonly left: string; readonly right: string };
