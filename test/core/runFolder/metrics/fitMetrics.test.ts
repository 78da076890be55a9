import { expect, it } from "vitest";
import { FitHistory } from "../../../../src/core/runFolder/metrics/fitMetrics.ts";

/** The fit of a supervised run after steps with these losses. */
function fitOf(losses: readonly number[]) {
  const history = new FitHistory();
  for (const [step, loss] of losses.entries()) history.add({ step, loss });
  return history.fit;
}

it("compares the first with the last steps, at most five each and without overlap", () => {
  expect(fitOf([4, 3, 2, 1])).toMatchObject({ steps: 4, was: 3.5, now: 1.5 });
  expect(fitOf([6, 6, 6, 0, 1, 1, 1])).toMatchObject({ steps: 7, was: 6, now: 1 });
  const long = Array.from({ length: 30 }, (_, step) => 30 - step);
  expect(fitOf(long)).toMatchObject({ steps: 30, was: 28, now: 3 });
});

it("has one loss after one step, and is empty before", () => {
  expect(fitOf([2])).toEqual({ steps: 1, was: 2, now: 2, heldOut: null });
  expect(fitOf([])).toBeNull();
});
