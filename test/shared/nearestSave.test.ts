import { describe, expect, it } from "vitest";
import { nearestSave } from "../../src/shared/nearestSave.ts";

const saves = [
  { step: 30, kind: "rolling" },
  { step: 20, kind: "periodic" },
  { step: 10, kind: "best" },
];

describe("the save before a step", () => {
  it.each([
    [9, null],
    [10, 10],
    [19, 10],
    [25, 20],
    // A rolling save is about to be deleted.
    [30, 20],
  ])("after %d completed steps is the one after %j", (completed, step) => {
    expect(nearestSave(saves, completed)?.step ?? null).toBe(step);
  });
});
