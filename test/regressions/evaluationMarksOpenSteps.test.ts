import { describe, expect, it } from "vitest";
import type { RolloutRow } from "../../src/shared/dashboardTypes.ts";
import type { ChartMark } from "../../webview-ui/controls/chartMarks.ts";
import { markAt } from "../../webview-ui/controls/markAt.ts";
import type { DashboardModel } from "../../webview-ui/model/dashboardModel.ts";
import { openEvaluation } from "../../webview-ui/model/evaluationCell.ts";
import {
  firstViewState,
  NO_FILTER,
  restoreViewState,
  type ViewState,
} from "../../webview-ui/model/viewState.ts";
import { filterRows } from "../../webview-ui/views/rollouts/rolloutRows.ts";
import { aRunStore } from "../webview/runStores.ts";

const PLACES = ["local/calculator", "local/depot"].flatMap((environment) =>
  ["test", "hard"].flatMap((split) =>
    [0, 1].map((temperature) => ({ environment, split, temperature })),
  ),
);

/** Which of the rollouts of the evaluation after 40 steps are listed once the result at `position` is opened. */
function listed(results: typeof PLACES, position: number): readonly number[] {
  const numbers = { rollouts: 1, rewardMean: 0.5, low: 0, high: 1, failed: 0, passAtK: [] };
  let view = firstViewState(0);
  const evaluation = { step: 40, results: results.map((own) => ({ ...own, ...numbers })) };
  const dashboard = {
    data: aRunStore({}, { evaluations: [evaluation] }),
    update: (change: Partial<ViewState>) => {
      view = { ...view, ...change };
    },
    openRollouts: (rolloutSet: ViewState["rolloutSet"]) => {
      view = { ...view, rolloutSet };
    },
  } as unknown as DashboardModel; // as much of it as is looked at
  const place = results[position];
  if (place === undefined) throw new Error("There is no such result.");
  openEvaluation(dashboard, { step: 40, ...place });
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

  it("hides no rollout of a training step that is gone to from there", () => {
    const trained = { environment: "a", split: "train", temperature: null, error: null };
    const rows = [trained as RolloutRow];
    expect(filterRows(rows, { ...NO_FILTER, temperature: 0 })).toEqual(rows);
  });

  it("is shown by a page that kept a filter from before there was one by split", () => {
    const fresh = firstViewState(0);
    const kept = { filter: { text: "503", stop: "", trainingUse: "", environment: "" } };
    expect(restoreViewState(kept, fresh).filter).toEqual({ ...NO_FILTER, text: "503" });
  });
});

describe("a click on a chart", () => {
  const scales = { x: { min: 0, max: 100 }, y: { min: 0, max: 1 } };
  const plot = {
    scales,
    valToPos: (value: number, axis: string) => (axis === "x" ? value * 10 : 300 - value * 300),
  };
  const mark = (step: number, y: number, shift = 0): ChartMark => ({
    kind: "evaluation",
    x: step,
    y,
    low: y - 0.1,
    high: y + 0.1,
    colour: "purple",
    sign: 0,
    shift,
    cell: { step, environment: "a", split: "test", temperature: 1 },
  });
  const marks = [mark(0, 0.2), mark(40, 0.5), mark(40, 0.5, 9), { kind: "resume", x: 20 } as const];
  const stepAt = (left: number, top: number, all: readonly ChartMark[] = marks) =>
    markAt(plot, all, { left, top })?.cell.step ?? null;

  it("is on the mark of an evaluation that it is nearest to, with its shift", () => {
    expect([stepAt(400, 150), stepAt(405, 153), stepAt(2, 236)]).toEqual([40, 40, 0]);
    expect(markAt(plot, marks, { left: 408, top: 150 })).toBe(marks[2]);
    expect(markAt(plot, marks, { left: 401, top: 150 })).toBe(marks[1]);
  });

  it("is on none beside them, on another kind of mark, or where a zoom has hidden them", () => {
    expect([stepAt(380, 150), stepAt(400, 165), stepAt(200, 150)]).toEqual([null, null, null]);
    expect(stepAt(1_010, 150, [mark(101, 0.5)])).toBeNull();
    expect(stepAt(400, 330, [mark(40, -0.1)])).toBeNull();
  });
});
