import { expect, it } from "vitest";
import { describeEvaluations } from "../../../src/core/outputs/evaluationsOutput.ts";
import { aStoredResult } from "../runFolder/builders.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";

const FOLDER = "/runs/x";
const RESULT = aStoredResult({ passAtK: [{ k: 1, mean: 0.25, low: 0, high: 0.5 }] });

it("the output has the stored results", async () => {
  const files = createMemoryFileSystem();
  const difference = { tasks: 4, mean: 0.75, low: 0.5, high: 1 };
  const model = { name: "step 10", path: "tinker://r/sampler_weights/c_10" };
  const lines = [
    { step: 0, purpose: "start", timeMs: 1, results: [RESULT] },
    {
      step: 10,
      purpose: "asked",
      timeMs: 1,
      model,
      results: [{ ...RESULT, difference }],
    },
  ];
  await files.append(
    `${FOLDER}/eval/results.jsonl`,
    lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  expect(await describeEvaluations(files, FOLDER)).toEqual({
    format: "tinker-rl.evaluations/1",
    folder: FOLDER,
    evaluations: [
      {
        step: 0,
        model: null,
        results: [{ ...RESULT, difference: null }],
      },
      {
        step: 10,
        model,
        results: [{ ...RESULT, difference }],
      },
    ],
  });
});
