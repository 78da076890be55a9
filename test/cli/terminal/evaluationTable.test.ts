import { expect, test } from "vitest";
import { evaluationTable } from "../../../src/cli/terminal/evaluationTable.ts";
import { renderLine } from "../../../src/cli/terminal/line.ts";
import type { EvaluationEntry, StoredResult } from "../../../src/core/runFolder/evaluationLog.ts";
import { aStoredResult } from "../../core/runFolder/builders.ts";

const CELL = { environment: "a/b", temperature: 1, tasks: 4, rollouts: 8 };
const RESULT = aStoredResult({ ...CELL, rewardMean: 0.25, high: 0.5 });

function entry(name: string, step: number, result: Partial<StoredResult>): EvaluationEntry {
  const passAtK = [
    { k: 1, mean: 0.25, low: 0, high: 0.5 },
    { k: 2, mean: 0.5, low: 0, high: 1 },
  ];
  const model = { name, path: step === 0 ? null : `tinker://r/sampler_weights/c_${step}` };
  const results = [{ ...RESULT, passAtK, ...result }];
  return { step, purpose: "asked", timeMs: 0, model, results };
}

const EVALUATIONS = [
  entry("base", 0, {}),
  entry("step 10", 10, {
    rewardMean: 1,
    low: 0.51,
    high: 1,
    difference: { tasks: 4, mean: 0.75, low: 0.5, high: 1 },
  }),
];

function shown(evaluations: readonly EvaluationEntry[]): readonly string[] {
  return evaluationTable(evaluations, 80).map((line) => renderLine(line, false).trimEnd());
}

test("models are listed with intervals and their change from the first", () => {
  expect(shown(EVALUATIONS)).toEqual([
    "test split of a/b, temperature 1, 4 tasks, 2 rollouts of each",
    "model         reward [95%]          change [95%]  pass@1  pass@2",
    "base     0.25 [0.00, 0.50]                     –    0.25    0.50",
    "step 10  1.00 [0.51, 1.00]  +0.75 [+0.50, +1.00]    0.25    0.50",
  ]);
});

test("shows nothing if there is no interval", () => {
  const lines = shown([entry("base", 0, { rewardMean: 0.3, low: null, high: null })]);
  expect(lines.at(-1)).toBe("base           0.30             –    0.25    0.50");
});

test("failures have a column if there are any", () => {
  const results = [{ ...RESULT, failed: 3 }];
  const lines = shown([{ step: 2, purpose: "end", timeMs: 0, results }]);
  expect(lines.slice(1)).toEqual([
    "model        reward [95%]  change [95%]  failed",
    "step 2  0.25 [0.00, 0.50]             –       3",
  ]);
});
