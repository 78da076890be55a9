import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replayLines } from "../../src/cli/show/showRollout.ts";
import {
  createRunReader,
  type RolloutSummary,
  type RunReader,
} from "../../src/core/runFolder/reader.ts";
import { rolloutRecordSchema } from "../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { rolloutBody, rolloutRow } from "../../src/host/dashboard/rolloutViews.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { streamLabel } from "../../webview-ui/views/replay/streamLabel.ts";
import { aRecord } from "../core/runFolder/builders.ts";
import { writeHardRun } from "../host/dashboard/writtenRun.ts";

describe("a rollout of three token streams, of which two were trained on", () => {
  let parent = "";
  let fileSystem: ReturnType<typeof createFileSystem>;
  let reader: RunReader;
  let summary: RolloutSummary | undefined;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), "tinker-rl-streams-"));
    fileSystem = createFileSystem();
    const { folder, step } = await writeHardRun(fileSystem, parent, { rollouts: 8, tokens: 620 });
    reader = createRunReader(fileSystem.within(folder), folder);
    [summary] = await reader.rollouts(step);
  });
  afterAll(async () => {
    await fileSystem.close();
    await rm(parent, { recursive: true, force: true });
  });

  it("is listed with the positions of the streams that are stored", () => {
    expect(summary && rolloutRow(summary).streams).toEqual([0, 2]);
  });

  it("has each turn and each stream named by where they belong", async () => {
    const record = summary === undefined ? null : await reader.body(summary);
    const turns = record === null ? [] : rolloutBody(record).turns;
    expect(turns.map(({ stream }) => stream)).toEqual([0, 0, 1, 2]);
    expect([0, 2].map((stream) => streamLabel(stream, turns))).toEqual([
      "1: turns 1 to 2",
      "3: turn 4",
    ]);
    expect(streamLabel(0, [])).toBe("1");
  });

  it("shows on a terminal where another stream begins", async () => {
    const record = summary === undefined ? null : await reader.body(summary);
    if (record === null) throw new Error("the rollout is stored");
    const lines = replayLines(record, { title: "", score: null, width: 100 });
    const text = lines.map((line) => JSON.stringify(line));
    const at = (part: string): number => text.findIndex((line) => line.includes(part));
    expect(at("3 token streams")).toBeGreaterThan(0);
    expect(at("stream 2:")).toBeGreaterThan(at("turn 2"));
    expect(at("stream 2:")).toBeLessThan(at("turn 3"));
    expect(at("stream 3:")).toBeGreaterThan(at("turn 3"));
    expect(at("stream 1:")).toBe(-1);
  });

  it("reads a record from before there were several as one stream", () => {
    const { turns, ...rest } = aRecord();
    const older = { ...rest, turns: turns.map(({ stream: _, ...turn }) => turn) };
    expect(rolloutRecordSchema.parse(older).turns.map(({ stream }) => stream)).toEqual([0]);
  });
});
