/** `wandb.json`: how far a run folder has been sent to W&B. */

import * as z from "zod";
import { parseJson } from "../util/jsonl.ts";
import { baseName, storedId } from "./storedNames.ts";

const count = z.number().int().nonnegative();

const cursorSchema = z
  .object({
    /** Step of the next metrics row to tell. */
    next: count,
    /** Lines of history and of the log that W&B holds. */
    history: count,
    log: count,
    /** Bytes of `events.jsonl` that were told. */
    events: count,
    /** The lowest `_step` of the next row. */
    step: count,
    /** Seconds of all attempts so far. */
    runtimeS: z.number().nonnegative(),
    /** The last step told, by the attempt that made it. */
    sent: z.record(z.string(), count).readonly(),
    /** Of what is filed for later: the folder in `wandb` that it lies in, and its size; null also for what cannot be one. */
    file: z.object({ folder: baseName, size: count }).readonly().nullable().catch(null),
  })
  .readonly();

/** A point in what there is to tell. */
export type SyncCursor = z.infer<typeof cursorSchema>;

const modeSchema = z
  .object({
    confirmed: cursorSchema,
    /** Where it will be if what was under way last has arrived; null = nothing was. */
    pending: cursorSchema.nullable(),
  })
  .readonly();

const fileSchema = z
  .object({
    schemaVersion: z.literal(1),
    runId: storedId,
    /** Null = it was only filed so far. */
    deployment: z.string().nullable(),
    entity: z.string().nullable(),
    project: z.string(),
    /** True once a stop asked for on the run's page was obeyed. */
    isStopHandled: z.boolean(),
    /** True once W&B holds all rows of the last attempt, the summary and the end of the run. */
    isEnded: z.boolean().catch(false),
    online: modeSchema,
    offline: modeSchema,
  })
  .readonly();

export type PlaceFile = z.infer<typeof fileSchema>;

/** In a run folder. */
export function wandbStatePath(folder: string): string {
  return `${folder}/wandb.json`;
}

/** A damaged file reads as none. */
export function parsePlaceFile(text: string): PlaceFile | null {
  return fileSchema.safeParse(parseJson(text)?.value).data ?? null;
}
