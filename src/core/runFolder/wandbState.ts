/** `wandb.json`: how much of a run folder has been sent to W&B. */

import * as z from "zod";
import { parseJson } from "../util/jsonl.ts";
import { baseName, storedId } from "./files/storedNames.ts";

const count = z.number().int().nonnegative();

const cursorSchema = z
  .object({
    /** Step of the next metrics row to send. */
    next: count,
    /** Lines of history and of the log that W&B has. */
    history: count,
    log: count,
    /** Bytes of `events.jsonl` sent. */
    events: count,
    /** The lowest `_step` of the next row. */
    step: count,
    /** Seconds of all attempts so far. */
    runtimeS: z.number().nonnegative(),
    /** The last step sent, by the attempt that made it. */
    sent: z.record(z.string(), count).readonly(),
    /** The offline file: its folder in `wandb`, and its size; null also for a damaged entry. */
    file: z.object({ folder: baseName, size: count }).readonly().nullable().catch(null),
  })
  .readonly();

/** How far the run's rows, log lines and events have been sent. */
export type SyncCursor = z.infer<typeof cursorSchema>;

const modeSchema = z
  .object({
    confirmed: cursorSchema,
    /** The cursor after the delivery in progress; null = none in progress. */
    pending: cursorSchema.nullable(),
  })
  .readonly();

const fileSchema = z
  .object({
    schemaVersion: z.literal(1),
    runId: storedId,
    /** Null = the run has only been written to offline files so far. */
    deployment: z.string().nullable(),
    entity: z.string().nullable(),
    project: z.string(),
    /** True once a stop requested on the run's page was carried out. */
    isStopHandled: z.boolean(),
    /** True once W&B has all rows of the last attempt, the summary and the end of the run. */
    isEnded: z.boolean().catch(false),
    online: modeSchema,
    offline: modeSchema,
  })
  .readonly();

export type WandbState = z.infer<typeof fileSchema>;

/** The path in a run folder. */
export function wandbStatePath(folder: string): string {
  return `${folder}/wandb.json`;
}

/** Null for a damaged file. */
export function parseWandbState(text: string): WandbState | null {
  return fileSchema.safeParse(parseJson(text)?.value).data ?? null;
}
