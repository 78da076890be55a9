/** Schemas of messages from a window about pages. Messages from the page itself are validated by its session. */

import * as z from "zod";
import type { OpenPageRequest, PageNews, PageSent, PageSettings } from "./pages.ts";

const text = z.string();
const count = z.number().int().nonnegative();
const filter = z.object({ name: text, filter: text }).readonly();
const settings: z.ZodType<PageSettings> = z
  .object({
    smoothing: z.number(),
    hasSingleKeys: z.boolean(),
    hasLiveRegion: z.boolean(),
    pinnedMetrics: z.array(text).readonly(),
    hiddenCharts: z.array(text).readonly(),
    savedFilters: z.array(filter).readonly(),
    isDemoCardClosed: z.boolean(),
    layout: text.nullable(),
  })
  .readonly();

const page = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("dashboard"), folder: text.nullable() }).readonly(),
  z.object({ kind: z.literal("runs") }).readonly(),
]);

export const openPageRequest: z.ZodType<OpenPageRequest> = z
  .object({
    progressToken: text,
    page,
    isVisible: z.boolean(),
    settings,
    workspaceFolders: z.array(text).readonly(),
    cachePath: text.nullable(),
  })
  .readonly();

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

const news: z.ZodType<PageNews> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("message"), message: z.unknown() }),
  z.object({ kind: z.literal("visible"), isVisible: z.boolean() }),
  z.object({ kind: z.literal("settings"), settings }),
  z.object({ kind: z.literal("show"), folder: text, target: target.nullable() }),
  z.object({ kind: z.literal("offer"), folder: text }),
  z.object({ kind: z.literal("search") }),
  z.object({ kind: z.literal("choose"), folders: z.array(text).readonly() }),
  z.object({ kind: z.literal("show-sweep"), id: text }),
  z.object({ kind: z.literal("marked"), folder: text }),
]);

export const pageSentSchema: z.ZodType<PageSent> = z.object({ page: text, what: news }).readonly();
