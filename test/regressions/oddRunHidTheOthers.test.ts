import { expect, it } from "vitest";
import { describeEvaluations } from "../../src/core/outputs/evaluationsOutput.ts";
import { describeRun } from "../../src/core/outputs/runOutput.ts";
import { runFields, runsOutput } from "../../src/core/outputs/runsOutput.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { aRun } from "../host/views/runEntries.ts";

const HUGE = 1e300;
const FOLDER = "/runs/odd";
/** Numbers that the files of a run may hold, because their readers take them. */
const ODD = aRun({
  folder: FOLDER,
  startedAtMs: HUGE,
  totalSteps: HUGE,
  repeats: HUGE,
  reward: HUGE,
  used: { tokens: HUGE, costUsd: HUGE },
  expiry: { atMs: HUGE, repeats: null },
});

it("a run whose files hold absurd numbers hides no other one from a program", () => {
  const { runs } = runsOutput.of({ runs: [ODD, aRun()].map(runFields) });
  expect(runs).toMatchObject([
    { startedAt: null, totalSteps: null, tokens: null, repeatedSteps: null, stateExpiresAt: null },
    { name: "demo", startedAt: "1970-01-01T00:00:01.000Z", totalSteps: 200 },
  ]);
});

it("nor does it keep a program from what else is in its folder", async () => {
  const files = createMemoryFileSystem();
  const result = {
    environment: "a/b",
    split: "test",
    temperature: 1,
    tasks: -1,
    rollouts: 0.5,
    failed: HUGE,
    rewardMean: 0,
    low: 0,
    high: 0,
    successFraction: 0,
    tokensMean: 1,
    failureReward: 0,
    successReward: 1,
    passAtK: [],
    turnsMean: 1,
  };
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
