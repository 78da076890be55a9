/** Validates messages from the dashboard page, which renders hostile text and is therefore untrusted. */

import * as z from "zod";
import { savedFiltersSchema } from "../../api/pages.ts";
import { markChangeSchema } from "../../core/runFolder/marks.ts";
import {
  type CommandArgs,
  DASHBOARD_COMMANDS,
  type DashboardQuestion,
  type PageMessage,
} from "../../shared/dashboardMessages.ts";
import { MAX_SEARCH_LENGTH, SEARCH_ROLES } from "../../shared/search.ts";
import { TASK_COLUMNS, TASK_POOLS } from "../../shared/taskTable.ts";

const MAX_ID = 200;
const MAX_TEXT = 4_000_000;
/** Limits each part of a search snippet. */
const MAX_SNIPPET = 2_000;
/** Limits an exported file, such as a PNG of a large chart or the columns of a long run. */
const MAX_FILE = 64_000_000;
const MAX_NAMES = 64;
/** Metric names contain names of environments and tools, so they can be long and numerous. */
const MAX_METRIC_NAME = 1_000;
const MAX_WANTED = 10_000;
const MAX_CHOSEN = 1_000;

/** More rows than are visible at once. */
const MAX_DETAILS = 200;

const metrics = z.array(z.string().max(MAX_METRIC_NAME)).max(MAX_CHOSEN).readonly();
const count = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const shortText = z.string().max(MAX_ID);
const searchText = z.string().max(MAX_SEARCH_LENGTH);
const rolloutSet = { source: z.enum(["training", "evaluation"]), step: count };
const stepRange = z.strictObject({ from: count, to: count }).readonly();
const rolloutKey = z.strictObject({ ...rolloutSet, group: count, rollout: count }).readonly();

const snippetText = z.string().max(MAX_SNIPPET);
const snippet = z
  .strictObject({
    role: z.enum(SEARCH_ROLES),
    turn: count.nullable(),
    before: snippetText,
    match: snippetText,
    after: snippetText,
  })
  .readonly();

const question: z.ZodType<DashboardQuestion> = z.discriminatedUnion("ask", [
  z.strictObject({ ask: z.literal("rollouts"), ...rolloutSet }),
  z.strictObject({ ask: z.literal("timeline"), ...rolloutSet }),
  z.strictObject({ ask: z.literal("evidence"), ...rolloutSet, alarm: shortText }),
  z.strictObject({ ask: z.literal("rollout"), key: rolloutKey }),
  z.strictObject({
    ask: z.literal("counterpart"),
    key: rolloutKey,
    set: z.strictObject(rolloutSet).readonly(),
  }),
  z.strictObject({ ask: z.literal("occurrences"), key: rolloutKey }),
  z.strictObject({
    ask: z.literal("details"),
    keys: z.array(rolloutKey).max(MAX_DETAILS).readonly(),
  }),
  z.strictObject({ ask: z.literal("tokens"), key: rolloutKey, stream: count, from: count }),
  z.strictObject({ ask: z.literal("found-token"), key: rolloutKey, snippet }),
  z.strictObject({
    ask: z.literal("search"),
    query: z.strictObject({
      text: searchText,
      isRegex: z.boolean(),
      isCaseSensitive: z.boolean().exactOptional(),
      roles: z.array(z.enum(SEARCH_ROLES)).max(SEARCH_ROLES.length).readonly(),
    }),
    scope: z.union([z.enum(["run", "runs"]), z.strictObject(rolloutSet)]),
  }),
  z.strictObject({
    ask: z.literal("tasks"),
    query: z
      .strictObject({
        text: searchText,
        pool: z.enum(TASK_POOLS).nullable(),
        column: z.enum(TASK_COLUMNS),
        isDescending: z.boolean(),
        page: count,
      })
      .readonly(),
  }),
  z.strictObject({ ask: z.literal("behavior") }),
  z.strictObject({ ask: z.literal("changes"), before: stepRange, after: stepRange }),
  z.strictObject({ ask: z.literal("image"), file: shortText }),
  z.strictObject({ ask: z.literal("config") }),
  z.strictObject({
    ask: z.literal("superseded"),
    attempt: count,
    names: z.array(shortText).max(MAX_NAMES).readonly(),
  }),
]);

export const exportedFile = z
  .strictObject({
    name: z.string().regex(/^[\w. -]{1,120}$/),
    content: z.string().max(MAX_FILE),
    encoding: z.enum(["utf8", "base64"]),
  })
  .readonly();

const commandArgs = z
  .strictObject({
    name: shortText.exactOptional(),
    path: z.array(shortText).max(16).readonly().exactOptional(),
    key: rolloutKey.exactOptional(),
    other: rolloutKey.exactOptional(),
    mark: markChangeSchema.exactOptional(),
    turn: count.exactOptional(),
    url: z.string().max(4_000).exactOptional(),
    text: z.string().max(MAX_TEXT).exactOptional(),
    file: exportedFile.exactOptional(),
    settings: z.array(z.string().max(2_000)).max(32).readonly().exactOptional(),
    which: z.enum(["state", "sampler"]).exactOptional(),
  })
  .readonly() satisfies z.ZodType<CommandArgs>;

const dashboardChoices = z
  .strictObject({
    pinnedMetrics: metrics.exactOptional(),
    hiddenCharts: metrics.exactOptional(),
    savedFilters: savedFiltersSchema.exactOptional(),
    isDemoCardClosed: z.boolean().exactOptional(),
  })
  .readonly();

const pageMessage: z.ZodType<PageMessage> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ready") }),
  z.strictObject({ kind: z.literal("question"), id: count, question }),
  z.strictObject({ kind: z.literal("cancel"), id: count }),
  z.strictObject({
    kind: z.literal("select-run"),
    id: z.string().max(4_000),
    key: rolloutKey.optional(),
  }),
  z.strictObject({ kind: z.literal("keep"), change: dashboardChoices }),
  z.strictObject({
    kind: z.literal("want-columns"),
    names: z.array(z.string().max(MAX_METRIC_NAME)).max(MAX_WANTED).readonly(),
  }),
  z.strictObject({
    kind: z.literal("command"),
    command: z.enum(DASHBOARD_COMMANDS),
    args: commandArgs,
  }),
]);

/** The message; null if it is not a known one. */
export function parsePageMessage(value: unknown): PageMessage | null {
  return pageMessage.safeParse(value).data ?? null;
}
