/**
 * Requests between the window and its server about pages. The window relays page messages without reading them. Imports no runtime code.
 */

import type { FiringAlarm } from "../core/alarms/alarmEvents.ts";
import type { CommandArgs, DashboardCommand, ExportedFile } from "../shared/dashboardMessages.ts";
import type { ChosenCharts, DashboardSettings } from "../shared/dashboardTypes.ts";
import type { RolloutSet } from "../shared/rolloutSet.ts";
import type { ReportsProgress } from "./requests.ts";

export const PAGE_REQUESTS = {
  /**
   * An {@link OpenPageRequest} lives as long as its page: it reports {@link PageReport}s, and canceling it ends the session. It is answered
   * with the `RequestOutcome` of null.
   */
  open: "tinkerRL/page/open",
} as const;

/** A {@link PageSent}, from the window. */
export const PAGE_NEWS = "tinkerRL/page/news";

/**
 * A {@link PageOrder}, which the window answers when done: a prompt with the text, or null if it was dismissed; everything else with null.
 */
export const PAGE_ORDER = "tinkerRL/page/order";

/** The user's stored page settings. */
export interface Kept
  extends ChosenCharts,
    Pick<DashboardSettings, "savedFilters" | "isDemoCardClosed"> {
  /** Layout of the runs table, as written by its page; null = not stored yet. */
  readonly layout: string | null;
}

export interface PageSettings extends DashboardSettings, Kept {}

/** A step or evaluation, or one of its rollouts; or the data behind an alarm. */
export type DashboardTarget =
  | (RolloutSet & {
      readonly rollout: { readonly group: number; readonly rollout: number } | null;
    })
  | { readonly alarm: string };

export type WindowPage =
  /** `folder` is the run to show; null = the newest. */
  { readonly kind: "dashboard"; readonly folder: string | null } | { readonly kind: "runs" };

/** Window state that pages need. */
export interface PageSurroundings {
  readonly settings: PageSettings;
  /** Paths inside these folders are shown relative to them. */
  readonly workspaceFolders: readonly string[];
  /** Cache file for digests of all runs; null = no cache. */
  readonly cachePath: string | null;
}

/** Its `progressToken` identifies the page. */
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
  /** From the page; validated by the session. */
  | { readonly kind: "message"; readonly message: unknown }
  | { readonly kind: "visible"; readonly isVisible: boolean }
  /** Used by the next page that loads. */
  | { readonly kind: "settings"; readonly settings: PageSettings }
  /** For a dashboard. */
  | { readonly kind: "show"; readonly folder: string; readonly target: DashboardTarget | null }
  | { readonly kind: "offer"; readonly folder: string }
  | { readonly kind: "search" }
  /** For a runs table: runs to compare. */
  | { readonly kind: "choose"; readonly folders: readonly string[] }
  /** For a runs table: the sweep whose settings to compare. */
  | { readonly kind: "show-sweep"; readonly id: string }
  /** For a runs table: a run whose mark changed. */
  | { readonly kind: "marked"; readonly folder: string };

export type PageReport =
  /** The server is now ready for {@link PageSent} messages. */
  | { readonly kind: "opened" }
  /** A message for the page, as JSON with encoded typed arrays. */
  | { readonly kind: "post"; readonly json: string }
  /** The run that a dashboard now shows. */
  | { readonly kind: "shown"; readonly folder: string }
  /** User settings to store with the workspace. */
  | { readonly kind: "keep"; readonly change: Partial<Kept> };

/** What a page needs the window to do. */
export type PageOrder =
  | {
      readonly kind: "command";
      readonly command: DashboardCommand;
      /** Folder of the run in the dashboard. */
      readonly folder: string;
      readonly args: CommandArgs;
      /** The alarm that `args` refers to; null = none. */
      readonly alarm: FiringAlarm | null;
    }
  | { readonly kind: "open-run"; readonly folder: string }
  | { readonly kind: "save"; readonly file: ExportedFile }
  /** Ask for comma-separated tags or a note for a run. */
  | {
      readonly kind: "ask";
      readonly what: "tags" | "note";
      readonly name: string;
      readonly value: string;
    }
  /** Show the configurations of two run folders side by side. */
  | { readonly kind: "diff"; readonly left: string; readonly right: string };
