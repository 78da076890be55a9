import { describe, expect, it, vi } from "vitest";
import { MAX_LINE_BYTES, readLines } from "../../../../src/core/runFolder/files/lineReader.ts";
import { RunFollower } from "../../../../src/core/runFolder/follower.ts";
import { flattenMetrics } from "../../../../src/core/runFolder/metrics/metricsTree.ts";
import { createRunReader } from "../../../../src/core/runFolder/reader.ts";
import { listRuns } from "../../../../src/core/runs/runList.ts";
import { encodeJsonLine, parseJson } from "../../../../src/core/util/jsonl.ts";
import type { RunFile } from "../../../../src/shared/runFile.ts";
import { aRunFile } from "../builders.ts";
import { createMemoryFileSystem } from "../memoryFileSystem.ts";

const FOLDER = "/runs/forged";
const LIVENESS = { nowMs: 0, isProcessAlive: () => false };
const DEEP_ROW = `{"step":1,"a":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}\n`;

async function aRun(changes: Partial<RunFile> = {}, fileSystem = createMemoryFileSystem()) {
  const folder = `/runs/${changes.name ?? "forged"}`;
  const file: RunFile = aRunFile({ name: "forged", ...changes });
  await fileSystem.writeAtomic(`${folder}/run.json`, JSON.stringify(file));
  await fileSystem.append(`${folder}/metrics.jsonl`, encodeJsonLine({ step: 0, loss: 2 }));
  const add = (name: string, text: string) => fileSystem.append(`${folder}/${name}`, text);
  return { fileSystem, follower: new RunFollower({ fileSystem, folder }), add };
}

describe("numbers in a tampered run folder cannot cause unbounded work:", () => {
  it("superseded attempts are found by their folders", async () => {
    const { fileSystem, follower, add } = await aRun({ attempt: 300_000 });
    await add("superseded/attempt-2/metrics.jsonl", `${JSON.stringify({ step: 0 })}\n`);
    await add("superseded/attempt-x/metrics.jsonl", "{}\n");
    await follower.refresh();
    const looking = vi.spyOn(fileSystem, "size");
    expect(await follower.supersededAttempts()).toEqual([2]);
    expect(looking.mock.calls.length).toBeLessThan(10);
  });

  it("an attempt number without a successor counts as damage", async () => {
    const { fileSystem } = await aRun({ attempt: Number.MAX_SAFE_INTEGER });
    expect(await listRuns(fileSystem, "/runs", LIVENESS)).toMatchObject([{ phase: "unreadable" }]);
  });

  it("a token record is read only if its length is plausible", async () => {
    const { fileSystem, add } = await aRun();
    await add("rollouts/step-000000.jsonl", "{}\n");
    const reader = createRunReader(fileSystem, FOLDER);
    const reading = vi.spyOn(fileSystem, "readRange");
    vi.spyOn(fileSystem, "size").mockResolvedValue(2 ** 40);
    for (const length of [64 * 1024 * 1024, 2 ** 39]) {
      const set = { source: "training", step: 0 } as const;
      expect(await reader.tokens(set, { offset: 0, length, stream: 0 })).toBeNull();
    }
    expect(reading).not.toHaveBeenCalled();
  });
});

describe("deeply nested JSON", () => {
  it("is rejected because no program of this project writes it", () => {
    expect(parseJson("[".repeat(20_000) + "]".repeat(20_000))).toBeNull();
    expect(parseJson(`[${"[],".repeat(300_000)}1]`)).toBeNull();
    const text = JSON.stringify({ text: '[{"\\'.repeat(100_000), more: '\\\\"[' });
    expect(parseJson(text)?.value).toEqual(JSON.parse(text));
  });

  it("hides no other line of its file, and is reported", async () => {
    const { follower, add } = await aRun();
    await add("metrics.jsonl", `${DEEP_ROW}{"step":2,"loss":1}\n`);
    await add("events.jsonl", `${DEEP_ROW}[]\n`);
    await follower.refresh();
    expect(Array.from(follower.metrics.steps())).toEqual([0, 2]);
    expect(follower.problem).toBe(
      "metrics.jsonl is damaged: 1 line cannot be read and is skipped. events.jsonl is damaged: 2 lines cannot be read and are skipped.",
    );
  });

  it("hides no other run, and is reported for its own run", async () => {
    const { fileSystem, add } = await aRun();
    await add("metrics.jsonl", DEEP_ROW.repeat(30));
    await aRun({ name: "sound" }, fileSystem);
    await fileSystem.writeAtomic("/runs/broken/run.json", "{");
    const runs = await listRuns(fileSystem, "/runs", LIVENESS);
    const problems = Object.fromEntries(runs.map(({ name, problem }) => [name, problem]));
    expect(problems).toMatchObject({
      forged: "metrics.jsonl is damaged: its last lines cannot be read.",
      sound: null,
      broken: expect.stringContaining("run.json is damaged"),
    });
  });

  it("never makes a name longer than the limit", () => {
    const level = "x".repeat(900);
    const row = { [level]: { [level]: { a: 1 }, b: 2 }, c: 3 };
    expect(Object.keys(flattenMetrics(row))).toEqual([`${level}/b`, "c"]);
  });
});

describe("a file of any size", () => {
  it("is read in chunks with a limited number of lines, and other work continues in between", async () => {
    const { fileSystem, add } = await aRun();
    await add("many.jsonl", "1\n".repeat(50_000));
    const reading = vi.spyOn(fileSystem, "readRange");
    let lines = 0;
    let most = 0;
    let before = 0;
    for await (const _ of readLines(fileSystem, `${FOLDER}/many.jsonl`)) {
      lines += 1;
      before = reading.mock.calls.length;
      most = Math.max(most, lines / before);
    }
    expect(lines).toBe(50_000);
    expect(most).toBeLessThanOrEqual(1_000);
  });

  it("without line feeds is skipped in chunks, and later lines are found", async () => {
    const { fileSystem, add } = await aRun();
    await add("long.jsonl", `${" ".repeat(2 * MAX_LINE_BYTES + 5)}x\n{"a":1}\n`);
    const reading = vi.spyOn(fileSystem, "readRange");
    const values: unknown[] = [];
    for await (const { value } of readLines(fileSystem, `${FOLDER}/long.jsonl`)) values.push(value);
    expect(values).toEqual([undefined, undefined, undefined, { a: 1 }]);
    expect(Math.max(...reading.mock.calls.map(([, , length]) => length))).toBe(MAX_LINE_BYTES);
  });

  it("keeps only the newest events that fit into memory", async () => {
    const { follower, add } = await aRun();
    const event = { timeMs: 1, attempt: 1, step: null, level: "info", kind: "k", data: {} };
    const lines = Array.from({ length: 40 }, (_, i) =>
      JSON.stringify({ ...event, timeMs: i, message: "x".repeat(400_000) }),
    );
    await add("events.jsonl", `${lines.join("\n")}\n`);
    await follower.refresh();
    expect(follower.events.at(-1)?.timeMs).toBe(39);
    expect(follower.events.length).toBeLessThan(12);
  });
});
