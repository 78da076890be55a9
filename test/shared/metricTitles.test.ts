import { expect, it } from "vitest";
import { metricTitle } from "../../src/shared/metricTitles.ts";

it("a metric has a readable title, and a metric of another program keeps its name", () => {
  expect(["rollout/entropy", "constructor"].map(metricTitle)).toEqual(["Entropy", "constructor"]);
});
