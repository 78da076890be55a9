import { describe, expect, it } from "vitest";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import type { EvaluationEntry } from "../../../src/core/runFolder/evaluationLog.ts";
import { bestChange } from "../../../src/core/training/bestCheckpoint.ts";
import { aCheckpointEntry, aStoredResult } from "../runFolder/builders.ts";

const METRIC = "eval/a/b/test/temperature_1/reward_mean";

function anEvaluation(step: number, rewardMean: number, failed: number): EvaluationEntry {
  const counts = { tasks: 64, rollouts: 64, failed, rewardMean, low: null, high: null };
  const result = aStoredResult({ ...counts, environment: "a/b", temperature: 1 });
  return { step, purpose: "periodic", timeMs: 0, results: [result] };
}

function aSave(step: number): CheckpointEntry {
  return aCheckpointEntry({
    name: `best_${step}`,
    kind: "best",
    step,
    state_path: `tinker://run/weights/${step}`,
    sampler_path: `tinker://run/sampler_weights/${step}`,
  });
}

describe("the best checkpoint", () => {
  it("never comes from an evaluation with more than 10% failed rollouts", () => {
    const saves = [aSave(10), aSave(20), aSave(30)];
    const marked = (failed: number) => {
      const evaluations = [anEvaluation(10, -0.4, 0), anEvaluation(20, -0.3, failed)];
      return bestChange(saves, evaluations, METRIC, 0).marked?.step;
    };
    expect(marked(32)).toBe(10);
    expect(marked(7)).toBe(10);
    expect(marked(6)).toBe(20);
  });
});
