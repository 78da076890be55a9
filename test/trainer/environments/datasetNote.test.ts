import { expect, it } from "vitest";
import { noteDatasets } from "../../../src/trainer/environments/datasetNote.ts";
import { aNotedRun } from "../notedRun.ts";

function setUp() {
  const run = aNotedRun();
  const note = (attempt: number, digests: Readonly<Record<string, string>>) =>
    noteDatasets(new Map(Object.entries(digests)), run.partsOf(attempt), 0);
  return { ...run, note };
}

it("a run without datasets records none", async () => {
  const { note, events } = setUp();
  await note(1, {});
  expect(await events()).toEqual([]);
});

it("a resume with changed content warns, and one with the same content does not", async () => {
  const { note, warnings } = setUp();
  await note(1, { "local/dataset": "aa".repeat(32), "local/dataset:b": "bb".repeat(32) });
  await note(2, { "local/dataset": "aa".repeat(32), "local/dataset:b": "bb".repeat(32) });
  expect(warnings).toEqual([]);
  await note(3, { "local/dataset": "aa".repeat(32), "local/dataset:b": "cc".repeat(32) });
  expect(warnings).toEqual([
    expect.stringContaining("The file of local/dataset:b has changed since the run began"),
  ]);
});
