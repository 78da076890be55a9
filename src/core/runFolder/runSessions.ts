/** A run's sessions at the Tinker service: one per attempt, and one per evaluation at the end. */

import type { FolderFiles } from "../ports.ts";
import { readEvents } from "./events.ts";

export interface RunSessions {
  readonly ids: ReadonlySet<string>;
  /** When the run began, in milliseconds since the Unix epoch; null if the folder has no events. */
  readonly startedAtMs: number | null;
}

/** The sessions named in the run's events. @throws AppError `file-unreadable` */
export async function runSessions(fileSystem: FolderFiles, folder: string): Promise<RunSessions> {
  const ids = new Set<string>();
  let startedAtMs: number | null = null;
  for await (const { kind, timeMs, data } of readEvents(fileSystem, folder)) {
    startedAtMs ??= timeMs;
    const { model_id: model, session_id: session } = data;
    if (kind === "run-started" && typeof model === "string") ids.add(sessionOf(model));
    if (kind === "evaluation-session" && typeof session === "string") ids.add(session);
  }
  return { ids, startedAtMs };
}

/** The part of a model's id that names its session: `docs/protocols/tinker.md#paths`. */
function sessionOf(model: string): string {
  return model.split(":")[0] ?? model;
}
