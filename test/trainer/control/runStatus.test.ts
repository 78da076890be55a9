import { expect, it } from "vitest";
import type { ProgressEvent } from "../../../src/core/training/run/progress.ts";
import { advanceStatus, INITIAL_STATUS } from "../../../src/trainer/control/runStatus.ts";

const rolloutOf = (rollouts: number, done: number): ProgressEvent => ({
  kind: "rollout-finished",
  step: 0,
  rollouts,
  done,
  reward: 1,
  sampledTokens: 10,
});
const evaluated: ProgressEvent = {
  kind: "evaluated",
  step: 0,
  purpose: "periodic",
  results: [],
  baseline: null,
};

function countsAfter(...events: readonly ProgressEvent[]) {
  const { rollouts, evaluated } = events.reduce(advanceStatus, INITIAL_STATUS);
  return { rollouts, evaluated };
}

it("counts the rollouts of an evaluation between steps separately from those of a step", () => {
  const evaluating: ProgressEvent = {
    kind: "evaluating",
    step: 0,
    rollouts: 64,
    purpose: "start",
  };
  expect(countsAfter(evaluating, rolloutOf(64, 3))).toEqual({
    rollouts: null,
    evaluated: { done: 3, total: 64, isBesideStep: false },
  });
  const step: ProgressEvent = { kind: "step-started", step: 0, rollouts: 32 };
  expect(countsAfter(evaluating, rolloutOf(64, 64), evaluated, step, rolloutOf(32, 1))).toEqual({
    rollouts: { done: 1, total: 32 },
    evaluated: null,
  });
});

it("keeps counting a step while a parallel evaluation begins and ends", () => {
  const step: ProgressEvent = { kind: "step-started", step: 4, rollouts: 32 };
  const beside: ProgressEvent = {
    kind: "evaluating-beside",
    step: 4,
    done: 24,
    rollouts: 64,
  };
  expect(countsAfter(step, beside, rolloutOf(32, 7))).toEqual({
    rollouts: { done: 7, total: 32 },
    evaluated: { done: 24, total: 64, isBesideStep: true },
  });
  expect(countsAfter(step, beside, rolloutOf(32, 7), evaluated)).toEqual({
    rollouts: { done: 7, total: 32 },
    evaluated: null,
  });
});
