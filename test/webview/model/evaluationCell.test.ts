import { describe, expect, it, test } from "vitest";
import type { EvaluationView, RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import type { DashboardModel } from "../../../webview-ui/model/dashboardModel.ts";
import { type EvaluatedCell, openEvaluation } from "../../../webview-ui/model/evaluationCell.ts";
import {
  firstViewState,
  NO_FILTER,
  type RolloutFilter,
  restoreViewState,
  type ViewState,
} from "../../../webview-ui/model/viewState.ts";
import { filterRows } from "../../../webview-ui/views/rollouts/rolloutRows.ts";
import { aRunStore } from "../runStores.ts";

const CELL = { environment: "local/calculator", split: "test", temperature: 0 };

const NUMBERS = { rollouts: 1, rewardMean: 0.5, low: 0, high: 1, failed: 0, passAtK: [] };

/** The view once a result is opened. */
function opened(evaluations: readonly EvaluationView[], cell: EvaluatedCell): ViewState {
  let view = firstViewState(0);
  const update = (change: Partial<ViewState>): void => {
    view = { ...view, ...change };
  };
  const dashboard = {
    data: aRunStore({}, { evaluations }),
    update,
    openRollouts: (rolloutSet: ViewState["rolloutSet"]) => update({ rolloutSet }),
  } as unknown as DashboardModel; // as much of it as is looked at
  openEvaluation(dashboard, cell);
  return view;
}

/** The filter behind the row of `model`, one of `models` evaluated after the same steps. */
function filterOf(models: readonly string[], model: string): RolloutFilter {
  const results = [{ ...CELL, ...NUMBERS }];
  const evaluations = models.map((name) => ({ step: 10, model: { name }, results }));
  return opened(evaluations, { step: 10, ...CELL, model }).filter;
}

test("the row of one of several models opens that model's rollouts", () => {
  expect(filterOf(["A", "B"], "A")).toEqual({ ...NO_FILTER, model: "A" });
  expect(filterOf(["A", "B"], "B")).toEqual({ ...NO_FILTER, model: "B" });
  expect(filterOf(["A"], "A")).toEqual(NO_FILTER);
});

const PLACES = ["local/calculator", "local/depot"].flatMap((environment) =>
  ["test", "hard"].flatMap((split) =>
    [0, 1].map((temperature) => ({ environment, split, temperature })),
  ),
);

/** The listed rollouts of the evaluation after 40 steps once the result at `position` is opened. */
function listed(results: typeof PLACES, position: number): readonly number[] {
  const evaluation = { step: 40, results: results.map((own) => ({ ...own, ...NUMBERS })) };
  const place = results[position];
  if (place === undefined) throw new Error("There is no such result.");
  const view = opened([evaluation], { step: 40, ...place });
  expect(view.rolloutSet).toEqual({ source: "evaluation", step: 40 });
  const rows = results.map((own, group) => ({ ...own, group, error: null }) as RolloutRow);
  return filterRows(rows, view.filter).map(({ group }) => group);
}

describe("a result of an evaluation", () => {
  it("lists its own rollouts, and no others of its evaluation", () => {
    for (const results of [PLACES, PLACES.slice(0, 4), PLACES.slice(0, 2), PLACES.slice(0, 1)]) {
      for (const position of results.keys()) {
        expect([position, listed(results, position)]).toEqual([position, [position]]);
      }
    }
  });

  it("hides no rollout of a training step while its temperature filter is set", () => {
    const trained = { environment: "a", split: "train", temperature: null, error: null };
    const rows = [trained as RolloutRow];
    expect(filterRows(rows, { ...NO_FILTER, temperature: 0 })).toEqual(rows);
  });

  it("is shown by a page with a stored filter from before filters by split", () => {
    const fresh = firstViewState(0);
    const kept = { filter: { text: "503", stop: "", trainingUse: "", environment: "" } };
    expect(restoreViewState(kept, fresh).filter).toEqual({ ...NO_FILTER, text: "503" });
  });
});
