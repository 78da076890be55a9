import { expect, it } from "vitest";
import type { EvaluationView } from "../../../src/shared/dashboardTypes.ts";
import { evaluationPivot } from "../../../webview-ui/model/evaluationPivot.ts";

function evaluation(step: number, means: Readonly<Record<string, number>>): EvaluationView {
  const results = Object.entries(means).map(([split, rewardMean]) => ({
    environment: "local/depot",
    split,
    temperature: 0,
    rollouts: 8,
    rewardMean,
    low: null,
    high: null,
    failed: 0,
    passAtK: [],
  }));
  return { step, results };
}

it("has a column per split and sampling setting, even if only some rows were evaluated", () => {
  const { columns, rows } = evaluationPivot([
    evaluation(0, { test: 0.1 }),
    evaluation(10, { test: 0.3, hard: 0.2 }),
  ]);
  expect(columns.map(({ split }) => split)).toEqual(["test", "hard"]);
  expect(rows.map(({ cells }) => cells.map((cell) => cell?.rewardMean ?? null))).toEqual([
    [0.1, null],
    [0.3, 0.2],
  ]);
});

it("keeps two models evaluated after the same steps separate", () => {
  const { rows } = evaluationPivot(
    ["small", "large"].map((name) => ({ ...evaluation(0, { test: 0.5 }), model: { name } })),
  );
  expect(rows.map(({ model }) => model)).toEqual(["small", "large"]);
});

it("marks the first row with the highest mean of a column as the best, and none if all are equal", () => {
  const { best } = evaluationPivot([
    evaluation(0, { test: 0.1, hard: 0 }),
    evaluation(10, { test: 0.4, hard: 0 }),
    evaluation(20, { test: 0.4, hard: 0 }),
  ]);
  expect(best).toEqual([1, null]);
  expect(evaluationPivot([evaluation(0, { test: 1 })]).best).toEqual([null]);
});
