import { beforeEach, expect, it } from "vitest";
import { createEventLog, readEvents } from "../../../src/core/runFolder/events.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { noteDatasets } from "../../../src/trainer/environments/datasetNote.ts";
import { createMemoryFileSystem, createStillClock } from "../../core/runFolder/memoryFileSystem.ts";

const FOLDER = "/runs/one";
let fileSystem = createMemoryFileSystem();
let warnings: string[] = [];
beforeEach(() => {
  fileSystem = createMemoryFileSystem();
  warnings = [];
});

async function note(attempt: number, digests: Readonly<Record<string, string>>): Promise<void> {
  const redactor = new Redactor();
  const clock = createStillClock();
  const events = createEventLog({ fileSystem, clock, redactor, folder: FOLDER, attempt });
  const watch = (event: { readonly kind: string; readonly message?: string }): void => {
    if (event.message !== undefined) warnings.push(event.message);
  };
  const storage = { fileSystem, folder: FOLDER };
  await noteDatasets(
    new Map(Object.entries(digests)),
    { storage, reporting: { events, redactor, watch } },
    0,
  );
}

it("a run without datasets notes none", async () => {
  await note(1, {});
  const events: unknown[] = [];
  for await (const event of readEvents(fileSystem, FOLDER)) events.push(event);
  expect(events).toEqual([]);
});

it("a resume with other content warns, and one with the same does not", async () => {
  await note(1, { "local/dataset": "aa".repeat(32), "local/dataset:b": "bb".repeat(32) });
  await note(2, { "local/dataset": "aa".repeat(32), "local/dataset:b": "bb".repeat(32) });
  expect(warnings).toEqual([]);
  await note(3, { "local/dataset": "aa".repeat(32), "local/dataset:b": "cc".repeat(32) });
  expect(warnings).toEqual([
    expect.stringContaining("The file of local/dataset:b has changed since the run began"),
  ]);
});
