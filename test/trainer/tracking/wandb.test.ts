import { expect, it } from "vitest";
import type { ProgressEvent } from "../../../src/core/training/run/progress.ts";
import { WandbReport } from "../../../src/trainer/tracking/wandb.ts";

it("the rows of supervised steps are reported when they are written, like those of other steps", () => {
  const written: number[] = [];
  const watched: ProgressEvent[] = [];
  const tracker = {
    runId: "r",
    rowWritten: (step: number) => void written.push(step),
    configChanged: () => undefined,
    finish: async () => undefined,
  };
  const watch = new WandbReport(tracker, (event) => watched.push(event)).beside((event) =>
    watched.push(event),
  );
  const event: ProgressEvent = {
    kind: "batch-finished",
    step: 3,
    totalSteps: 4,
    loss: 1,
    heldOutLoss: null,
    fit: null,
    examples: 8,
    tokens: 80,
    learningRate: 1e-4,
    totalS: 2,
    etaS: null,
    used: { tokens: 80, costUsd: null },
  };
  watch(event);
  expect(written).toEqual([3]);
  expect(watched).toEqual([event]);
});
