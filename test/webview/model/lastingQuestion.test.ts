// @vitest-environment happy-dom

import { expect, it } from "vitest";
import { aBehaviorRow } from "../changes/behaviorRows.ts";
import { aDashboard } from "../dashboards.ts";

/** A run's chart data, and how it arrives. */
function aReading() {
  const { dashboard, asked } = aDashboard();
  const { behavior } = dashboard;
  return {
    ask: (size: number) => behavior.ask({ ask: "behavior" }, size),
    clear: () => behavior.clear(),
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
  ask(2);
  expect(shown()).toEqual([]);
  answer([0], false);
  expect(shown()).toEqual([0]);
  answer([1], true);
  expect(shown()).toEqual([0, 1]);
  ask(2);
  expect(questions()).toBe(1);
});

it("a complete answer stays until the next one is complete, too", () => {
  const { ask, answer, shown } = aReading();
  ask(2);
  answer([0, 1], true);
  ask(3);
  answer([0, 1], false);
  expect(shown()).toEqual([0, 1]);
  answer([2], true);
  expect(shown()).toEqual([0, 1, 2]);
});

it("a cleared question drops its answer, and is asked again", () => {
  const { ask, answer, clear, shown, questions } = aReading();
  ask(2);
  answer([0, 1], true);
  clear();
  expect(shown()).toBeUndefined();
  ask(2);
  expect(shown()).toEqual([]);
  expect(questions()).toBe(2);
});

it.each([
  { isEveryRun: true, isComplete: true, isKept: true },
  { isEveryRun: true, isComplete: false, isKept: false },
  { isEveryRun: false, isComplete: true, isKept: false },
])("when the host starts over, only a completed search in all runs stays: %o", (given) => {
  const { dashboard, asked, startOver } = aDashboard();
  const { view, search } = dashboard;
  dashboard.update({ search: { ...view.value.search, isEveryRun: given.isEveryRun } });
  const query = { text: "sum", isRegex: false, isCaseSensitive: false, roles: [] };
  search.ask({ ask: "search", query, scope: given.isEveryRun ? "runs" : "run" });
  const report = { hits: [], progress: 0.37, isComplete: given.isComplete, isCut: false };
  asked.at(-1)?.answer({ kind: "search", id: 1, run: { id: "run", name: "run" }, ...report });
  startOver({ id: "run", attempt: 1 });
  expect(search.answer.value !== null).toBe(given.isKept);
  expect(asked.at(-1)?.isCanceled).toBe(!given.isKept);
});
