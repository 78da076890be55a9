import { expect, it } from "vitest";
import { metricTitle } from "../../src/shared/metricTitles.ts";

it("a metric has a name for people, and one of another program its own, whatever that is", () => {
  expect(["rollout/entropy", "constructor"].map(metricTitle)).toEqual(["Entropy", "constructor"]);
});
