/** `events.jsonl`: a run's events, such as changes of state, retries, edits and alarms. */

import * as z from "zod";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Clock, FolderFiles } from "../ports.ts";
import type { Redactor } from "../secrets/redaction/redactor.ts";
import { encodeJsonLine } from "../util/jsonl.ts";
import { runPaths } from "./files/layout.ts";
import { readLines } from "./files/lineReader.ts";

const eventSchema = z
  .object({
    timeMs: z.number(),
    attempt: z.number().int(),
    step: z.number().int().nullable(),
    level: z.enum(["debug", "info", "warn", "error"]),
    /** Kebab-case name, for example `step-finished`. */
    kind: z.string(),
    message: z.string(),
    data: z.custom<JsonObject>(isJsonObject),
  })
  .readonly();

export type RunEvent = z.infer<typeof eventSchema>;

/** An event without the fields that the log adds. */
export type NewRunEvent = Omit<RunEvent, "timeMs" | "attempt">;

export interface EventLog {
  /** Appends one line with secrets redacted. @throws AppError `disk` */
  record(event: NewRunEvent): Promise<void>;
}

export interface EventLogOptions {
  readonly fileSystem: FolderFiles;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** The run folder. */
  readonly folder: string;
  readonly attempt: number;
}

export function createEventLog(options: EventLogOptions): EventLog {
  const { fileSystem, clock, redactor, folder, attempt } = options;
  return {
    record: async (event) => {
      const line: RunEvent = { timeMs: clock.now(), attempt, ...event };
      const cleaned = redactor.redactJson(line);
      await fileSystem.append(runPaths(folder).events, encodeJsonLine(cleaned));
    },
  };
}

/** Parses a line of `events.jsonl`; null if it is not an event. */
export function parseEvent(value: unknown): RunEvent | null {
  return eventSchema.safeParse(value).data ?? null;
}

/** All events in order; skips unreadable lines. */
export async function* readEvents(
  fileSystem: FolderFiles,
  folder: string,
): AsyncGenerator<RunEvent> {
  for await (const { value } of readLines(fileSystem, runPaths(folder).events)) {
    const event = parseEvent(value);
    if (event !== null) yield event;
  }
}

/** The data of all events of a kind, in order; skips data that does not match the schema. */
export async function dataOfEvents<Schema extends z.ZodType>(
  { fileSystem, folder }: Pick<EventLogOptions, "fileSystem" | "folder">,
  kind: string,
  schema: Schema,
): Promise<readonly z.infer<Schema>[]> {
  const found: z.infer<Schema>[] = [];
  for await (const event of readEvents(fileSystem, folder)) {
    const parsed = event.kind === kind ? schema.safeParse(event.data) : null;
    if (parsed?.success === true) found.push(parsed.data);
  }
  return found;
}
