import { expect, it } from "vitest";
import { checkPlanted } from "../checkPlanted.ts";
import { sum } from "../plantedDefects.ts";

it("times include those of calls that fail", async () => {
  const environment = sum({
    answer: () => {
      throw new Error("boom");
    },
  });
  const { checks } = await checkPlanted({ environment }, ["speed"]);
  expect(checks[0]?.measured).not.toContain("calls: none");
});
