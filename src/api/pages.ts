/** Requests between the window and its server about pages. The window relays page messages without reading them. */

import * as z from "zod";
import type { FiringAlarm } from "../core/alarms/alarmEvents.ts";
import type { CommandArgs, DashboardCommand, ExportedFile } from "../shared/dashboardMessages.ts";

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

const text = z.string();
const count = z.number().int().nonnegative();
const MAX_FILTERS = 100;

/** Rollout filters saved by the user. */
export const savedFiltersSchema = z
  .array(
    z.strictObject({ name: z.string().min(1).max(80), filter: z.string().max(4_000) }).readonly(),
  )
  .max(MAX_FILTERS)
  .readonly();

/** Unreadable parts fall back to their defaults. */
export const keptSchema = z.object({
  pinnedMetrics: z.array(text).readonly().catch([]),
  hiddenCharts: z.array(text).readonly().catch([]),
  savedFilters: savedFiltersSchema.catch([]),
  isDemoCardClosed: z.boolean().catch(false),
  /** Layout of the runs table, as written by its page; null = not stored yet. */
  layout: text.nullable().catch(null),
});
/** The user's stored page settings. */
export type Kept = Readonly<z.infer<typeof keptSchema>>;

const settings = keptSchema
  .extend({ smoothing: z.number(), hasSingleKeys: z.boolean(), hasLiveRegion: z.boolean() })
  .readonly();
export type PageSettings = z.infer<typeof settings>;

const windowPage = z.discriminatedUnion("kind", [
  /** `folder` is the run to show; null = the newest. */
  z.object({ kind: z.literal("dashboard"), folder: text.nullable() }).readonly(),
  z.object({ kind: z.literal("runs") }).readonly(),
]);
export type WindowPage = z.infer<typeof windowPage>;

export const openPageRequest = z
  .object({
    /** Identifies the page. */
    progressToken: text,
    page: windowPage,
    isVisible: z.boolean(),
    settings,
    /** Paths inside these folders are shown relative to them. */
    workspaceFolders: z.array(text).readonly(),
    /** Cache file for digests of all runs; null = no cache. */
    cachePath: text.nullable(),
  })
  .readonly();
export type OpenPageRequest = z.infer<typeof openPageRequest>;

/** Window state that pages need. */
export type PageSurroundings = Omit<OpenPageRequest, "progressToken" | "page" | "isVisible">;

const target = z.union([
  z.object({ alarm: text }).readonly(),
  z
    .object({
      source: z.enum(["training", "evaluation"]),
      step: count,
      rollout: z.object({ group: count, rollout: count }).readonly().nullable(),
    })
    .readonly(),
]);
/** A step or evaluation, or one of its rollouts; or the data behind an alarm. */
export type DashboardTarget = z.infer<typeof target>;

const news = z.discriminatedUnion("kind", [
  /** From the page; validated by the session. */
  z.object({ kind: z.literal("message"), message: z.unknown() }),
  z.object({ kind: z.literal("visible"), isVisible: z.boolean() }),
  /** Used by the next page that loads. */
  z.object({ kind: z.literal("settings"), settings }),
  /** For a dashboard. */
  z.object({ kind: z.literal("show"), folder: text, target: target.nullable() }),
  z.object({ kind: z.literal("offer"), folder: text }),
  z.object({ kind: z.literal("search") }),
  /** For a runs table: runs to compare. */
  z.object({ kind: z.literal("choose"), folders: z.array(text).readonly() }),
  /** For a runs table: the sweep whose settings to compare. */
  z.object({ kind: z.literal("show-sweep"), id: text }),
  /** For a runs table: a run whose mark changed. */
  z.object({ kind: z.literal("marked"), folder: text }),
]);
export type PageNews = z.infer<typeof news>;

/** `page` is the `progressToken` of the request that opened it. */
export const pageSentSchema = z.object({ page: text, what: news }).readonly();
export type PageSent = z.infer<typeof pageSentSchema>;

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
