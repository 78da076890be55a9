// @vitest-environment happy-dom

import { expect, it } from "vitest";
import { aBehaviorRow } from "../changes/behaviorRows.ts";
import { aDashboard } from "../dashboards.ts";

/** A run's chart data, and how it arrives. */
function aReading() {
  const { dashboard, asked } = aDashboard();
  const { behavior } = dashboard;
  return {
    ask: (subject: string, size: number) => behavior.ask({ ask: "behavior" }, subject, size),
    questions: () => asked.length,
    answer: (steps: readonly number[], isComplete: boolean) =>
      asked.at(-1)?.answer({
        kind: "behavior",
        id: 1,
        rows: steps.map((step) => aBehaviorRow(step)),
        steps: 2,
        progress: isComplete ? 1 : 0.5,
        isComplete,
      }),
    shown: () => behavior.answer.value?.rows.map(({ step }) => step),
  };
}

it("shows partial answers until they are complete, and asks once", () => {
  const { ask, answer, shown, questions } = aReading();
  ask("run", 2);
  expect(shown()).toEqual([]);
  answer([0], false);
  expect(shown()).toEqual([0]);
  answer([1], true);
  expect(shown()).toEqual([0, 1]);
  ask("run", 2);
  expect(questions()).toBe(1);
});

it("a complete answer stays until the next one is complete, too", () => {
  const { ask, answer, shown } = aReading();
  ask("run", 2);
  answer([0, 1], true);
  ask("run", 3);
  answer([0, 1], false);
  expect(shown()).toEqual([0, 1]);
  answer([2], true);
  expect(shown()).toEqual([0, 1, 2]);
});

it("data of another run is not shown", () => {
  const { ask, answer, shown } = aReading();
  ask("run", 2);
  answer([0, 1], true);
  ask("other", 2);
  expect(shown()).toEqual([]);
});
