/** What the page of the runs table may ask for; everything else is dropped. */

import * as z from "zod";
import { MAX_COMPARED, type RunsPageMessage } from "../../shared/runsPage.ts";
import { exportedFile } from "../dashboard/pageMessages.ts";

const MAX_ID = 200;
/** Of what the page has kept: columns, widths, filters and chosen runs. */
const MAX_LAYOUT = 200_000;
/** Metrics are named after environments and tools, and so may be long and many. */
const MAX_NAME = 1_000;
const MAX_NAMES = 1_000;

const id = z.string().max(MAX_ID);
const ids = z.array(id).max(MAX_COMPARED).readonly();

const messageSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ready") }),
  z.strictObject({ kind: z.literal("keep"), layout: z.string().max(MAX_LAYOUT) }),
  z.strictObject({ kind: z.literal("open"), id }),
  z.strictObject({ kind: z.literal("export"), file: exportedFile }),
  z.strictObject({
    kind: z.literal("compare"),
    ids,
    names: z.array(z.string().max(MAX_NAME)).max(MAX_NAMES).readonly(),
  }),
  z.strictObject({ kind: z.literal("star"), id, isOn: z.boolean() }),
  z.strictObject({ kind: z.literal("edit"), id, what: z.enum(["tags", "note"]) }),
  z.strictObject({ kind: z.literal("want-evaluations"), ids }),
  z.strictObject({ kind: z.literal("diff"), left: id, right: id }),
]);

/** Null for what is no known message. */
export function parseRunsMessage(value: unknown): RunsPageMessage | null {
  return messageSchema.safeParse(value).data ?? null;
}
