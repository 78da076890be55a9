/** Validates messages from the runs table page; anything unknown is dropped. */

import * as z from "zod";
import { MAX_COMPARED, type RunsPageMessage } from "../../shared/runsPage.ts";
import { exportedFile } from "../dashboard/pageMessages.ts";

const MAX_ID = 200;
/** Maximum size of the stored layout: columns, widths, filters and selected runs. */
const MAX_LAYOUT = 200_000;
/** Metric names contain names of environments and tools, so they can be long and numerous. */
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

/** Null if it is not a known message. */
export function parseRunsMessage(value: unknown): RunsPageMessage | null {
  return messageSchema.safeParse(value).data ?? null;
}
