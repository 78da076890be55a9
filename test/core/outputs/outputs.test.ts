import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { downloadOutput } from "../../../src/core/outputs/checkpointsOutput.ts";
import { describeEvaluations } from "../../../src/core/outputs/evaluationsOutput.ts";
import { OUTPUTS } from "../../../src/core/outputs/outputs.ts";
import { describeTrajectories } from "../../../src/core/outputs/rolloutsOutput.ts";
import { describeRun } from "../../../src/core/outputs/runOutput.ts";
import { runFields, runsOutput } from "../../../src/core/outputs/runsOutput.ts";
import { createRunReader } from "../../../src/core/runFolder/reader.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { aRun } from "../../host/runEntries.ts";
import { anAgentRecord, aStoredResult } from "../runFolder/builders.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";

describe("the schemas in docs/json", () => {
  it("match the code, one per output", () => {
    const names = OUTPUTS.map(({ name }) => `${name}.schema.json`);
    expect(readdirSync("docs/json").sort()).toEqual(names.toSorted());
    for (const output of OUTPUTS) {
      const committed: unknown = JSON.parse(
        readFileSync(`docs/json/${output.name}.schema.json`, "utf8"),
      );
      expect(output.jsonSchema()).toEqual(committed);
    }
  });

  it("have a format name and version, and allow additional fields", () => {
    for (const output of OUTPUTS) {
      const text = JSON.stringify(output.jsonSchema());
      expect(text).toContain(`"const":"tinker-rl.${output.name}/${output.version}"`);
      expect(text).not.toContain('"additionalProperties":false');
    }
  });
});

describe("an output", () => {
  const file = { name: "a", sizeBytes: 1, sha256: "00" };

  it("contains only what its schema names, at any depth", () => {
    const files = [{ ...file, signedUrl: "https://storage/a?signature" }];
    const weights = { path: "tinker://a", folder: "/w", files, key: "tml-a" };
    expect(downloadOutput.of(weights)).toEqual({
      format: "tinker-rl.download/1",
      path: "tinker://a",
      folder: "/w",
      files: [file],
    });
  });

  it("with the wrong structure is a program bug, and never printed", () => {
    const odd = { path: "tinker://a", folder: "/w", files: [{ ...file, sizeBytes: -1 }] };
    expect(() => downloadOutput.of(odd)).toThrow(z.ZodError);
  });
});

const HUGE = 1e300;
const FOLDER = "/runs/odd";
/** Extreme numbers that a run's files may contain, because their readers accept them. */
const ODD = aRun({
  folder: FOLDER,
  startedAtMs: HUGE,
  totalSteps: HUGE,
  repeats: HUGE,
  reward: HUGE,
  used: { tokens: HUGE, costUsd: HUGE },
  expiry: { atMs: HUGE, repeats: null },
});

it("a run with absurd numbers in its files hides no other run from a program", () => {
  const { runs } = runsOutput.of({ runs: [ODD, aRun()].map(runFields) });
  expect(runs).toMatchObject([
    { startedAt: null, totalSteps: null, tokens: null, repeatedSteps: null, stateExpiresAt: null },
    { name: "demo", startedAt: "1970-01-01T00:00:01.000Z", totalSteps: 200 },
  ]);
});

it("absurd numbers of a run do not hide the rest of its folder from a program", async () => {
  const files = createMemoryFileSystem();
  const result = aStoredResult({ tasks: -1, rollouts: 0.5, failed: HUGE });
  const evaluation = { step: 2, purpose: "end", timeMs: 0, results: [result] };
  await files.append(`${FOLDER}/eval/results.jsonl`, `${JSON.stringify(evaluation)}\n`);
  const event = {
    timeMs: 0,
    attempt: 1,
    step: -7,
    level: "warn",
    kind: "alarm",
    message: "m",
    data: { alarm: "tool_errors", severity: "warning", seen: "s", meaning: "m", edits: [] },
  };
  await files.append(`${FOLDER}/events.jsonl`, `${JSON.stringify(event)}\n`);
  await files.append(`${FOLDER}/metrics.jsonl`, '{"step":0,"alarm":{"tool_errors":1}}\n');
  const described = await describeRun(files, { folder: FOLDER, run: ODD, nowMs: 0 });
  expect(described).toMatchObject({
    steps: [{ step: 1 }],
    alarms: [{ alarm: "tool_errors", step: 1 }],
    evaluations: [{ step: 2, results: [{ tasks: -1 }] }],
  });
  expect((await describeEvaluations(files, FOLDER)).evaluations).toHaveLength(1);
});

it("an agent's trajectory has its requests and its end", async () => {
  const fileSystem = createMemoryFileSystem();
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: FOLDER });
  const record = anAgentRecord();
  await store.addRollout(record);
  const reader = createRunReader(fileSystem, FOLDER);
  const summaries = await reader.rollouts(0);
  const at = { source: "training", step: 1 } as const;
  const { trajectories } = await describeTrajectories(reader, at, {
    summaries,
    wantsTokens: false,
  });
  const promptText = "[system]\nBe brief.\n\n[user]\nAdd 2 to 3.";
  expect(trajectories).toMatchObject([{ promptText, agent: record.agent }]);
});
