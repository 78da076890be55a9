/** The sessions at the Tinker service that a run has had: one for each attempt. */

import type { FolderFiles } from "../ports.ts";
import { readEvents } from "./events.ts";

export interface RunSessions {
  readonly ids: ReadonlySet<string>;
  /** When the run began, in milliseconds since the Unix epoch; null for a folder without events. */
  readonly startedAtMs: number | null;
}

/** The sessions that the events of a run name. @throws AppError `file-unreadable` */
export async function runSessions(fileSystem: FolderFiles, folder: string): Promise<RunSessions> {
  const models: string[] = [];
  let startedAtMs: number | null = null;
  for await (const { kind, timeMs, data } of readEvents(fileSystem, folder)) {
    startedAtMs ??= timeMs;
    const model = data["model_id"];
    if (kind === "run-started" && typeof model === "string") models.push(model);
  }
  return { ids: new Set(models.map(sessionOf)), startedAtMs };
}

/** The part of a model's id that names its session: `docs/protocols/tinker.md#paths`. */
function sessionOf(model: string): string {
  return model.split(":")[0] ?? model;
}
