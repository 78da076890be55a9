/** Records the content of a run's datasets in its events, and warns if it has changed since. */

import * as z from "zod";
import { dataOfEvents } from "../../core/runFolder/events.ts";
import type { RunReporting, RunStorage } from "../../core/training/run/context.ts";
import { report } from "../../core/training/run/report.ts";

const KIND = "datasets-loaded";
const noteSchema = z.object({ sha256: z.record(z.string(), z.string()) });

interface NoteContext {
  readonly storage: Pick<RunStorage, "fileSystem" | "folder">;
  readonly reporting: Pick<RunReporting, "events" | "redactor" | "watch">;
}

/**
 * Call once per attempt with the SHA-256 of each dataset file by environment. Previous digests come from the run's events.
 * @throws AppError `disk`
 */
export async function noteDatasets(
  digests: ReadonlyMap<string, string>,
  { reporting, storage }: NoteContext,
  step: number,
): Promise<void> {
  if (digests.size === 0) return;
  const before = (await dataOfEvents(storage, KIND, noteSchema)).at(-1)?.sha256 ?? {};
  const message = `Datasets: ${[...digests].map(([name, digest]) => `${name} (SHA-256 ${short(digest)})`).join(", ")}.`;
  const data = { sha256: Object.fromEntries(digests) };
  await reporting.events.record({ step, level: "info", kind: KIND, data, message });
  for (const [name, digest] of digests) {
    const earlier = before[name];
    if (earlier === undefined || earlier === digest) continue;
    await report(reporting, {
      step,
      level: "warn",
      kind: "dataset-changed",
      message: `The file of ${name} has changed since the run began or was last resumed: its SHA-256 was ${short(earlier)} and is now ${short(digest)}. Tasks of the same number may be others, so rewards before and after may not be comparable. Stop the run and restore the file, or start a new run.`,
    });
  }
}

function short(digest: string): string {
  return digest.slice(0, 12);
}
