/** The shape of what a window sends its server about dashboards. What a page says is checked by its session. */

import * as z from "zod";
import type { DashboardNews, DashboardTold, OpenDashboardRequest, WindowRun } from "./dashboard.ts";

const text = z.string();
const count = z.number().int().nonnegative();
const state = z.enum([
  "preparing",
  "running",
  "finishing",
  "pausing",
  "paused",
  "done",
  "failed",
  "stopped",
  "interrupted",
  "foreign",
  "unknown",
]);

const run: z.ZodType<WindowRun> = z
  .object({
    folder: text,
    name: text,
    state,
    evaluated: z.object({ done: count, total: count }).readonly().nullable(),
    isReadOnly: z.boolean(),
  })
  .readonly();
const runs = z.array(run).readonly();

const filter = z.object({ name: text, filter: text }).readonly();

export const openDashboardRequest: z.ZodType<OpenDashboardRequest> = z
  .object({
    progressToken: text,
    folder: text.nullable(),
    isVisible: z.boolean(),
    runs,
    settings: z
      .object({
        smoothing: z.number(),
        hasSingleKeys: z.boolean(),
        hasLiveRegion: z.boolean(),
        pinnedMetrics: z.array(text).readonly(),
        savedFilters: z.array(filter).readonly(),
      })
      .readonly(),
    workspaceFolders: z.array(text).readonly(),
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

const news: z.ZodType<DashboardNews> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("message"), message: z.unknown() }),
  z.object({ kind: z.literal("visible"), isVisible: z.boolean() }),
  z.object({ kind: z.literal("show"), folder: text, target: target.nullable() }),
  z.object({ kind: z.literal("offer"), folder: text }),
  z.object({ kind: z.literal("search") }),
  z.object({ kind: z.literal("runs"), runs }),
  z.object({ kind: z.literal("run"), run }),
]);

export const dashboardTold: z.ZodType<DashboardTold> = z
  .object({ dashboard: text, what: news })
  .readonly();
