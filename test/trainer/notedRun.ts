/** An in-memory run folder in which an attempt records its inputs. */

import { createEventLog, readEvents } from "../../src/core/runFolder/events.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import type { ProgressEvent } from "../../src/core/training/run/progress.ts";
import { collect } from "../core/runFolder/builders.ts";
import { createMemoryFileSystem, createStillClock } from "../core/runFolder/memoryFileSystem.ts";

const FOLDER = "/runs/one";

export function aNotedRun() {
  const fileSystem = createMemoryFileSystem();
  const warnings: string[] = [];
  const redactor = new Redactor();
  const watch = (event: ProgressEvent): void => {
    if (event.kind === "warning") warnings.push(event.message);
  };
  return {
    /** Across all attempts. */
    warnings,
    /** The recorder's dependencies. */
    partsOf: (attempt: number) => {
      const clock = createStillClock();
      const events = createEventLog({ fileSystem, clock, redactor, folder: FOLDER, attempt });
      return {
        storage: { fileSystem, folder: FOLDER },
        reporting: { events, redactor, watch },
      };
    },
    events: () => collect(readEvents(fileSystem, FOLDER)),
  };
}
