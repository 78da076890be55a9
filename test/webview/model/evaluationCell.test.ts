import { expect, test } from "vitest";
import type { DashboardModel } from "../../../webview-ui/model/dashboardModel.ts";
import { openEvaluation } from "../../../webview-ui/model/evaluationCell.ts";
import {
  firstViewState,
  NO_FILTER,
  type RolloutFilter,
  type ViewState,
} from "../../../webview-ui/model/viewState.ts";
import { aRunStore } from "../runStores.ts";

const CELL = { environment: "local/calculator", split: "test", temperature: 0 };

/** The filter behind the row of `opened`, of `models` that were evaluated after the same steps. */
function filterOf(models: readonly string[], opened: string): RolloutFilter {
  const numbers = { rollouts: 1, rewardMean: 0.5, low: 0, high: 1, failed: 0, passAtK: [] };
  const results = [{ ...CELL, ...numbers }];
  const evaluations = models.map((name) => ({ step: 10, model: { name }, results }));
  let view = firstViewState(0);
  const dashboard = {
    data: aRunStore({}, { evaluations }),
    update: (change: Partial<ViewState>) => {
      view = { ...view, ...change };
    },
    openRollouts: () => undefined,
  } as unknown as DashboardModel; // as much of it as is looked at
  openEvaluation(dashboard, { step: 10, ...CELL, model: opened });
  return view.filter;
}

test("the row of one of several models opens the rollouts of that model", () => {
  expect(filterOf(["A", "B"], "A")).toEqual({ ...NO_FILTER, model: "A" });
  expect(filterOf(["A", "B"], "B")).toEqual({ ...NO_FILTER, model: "B" });
  expect(filterOf(["A"], "A")).toEqual(NO_FILTER);
});
